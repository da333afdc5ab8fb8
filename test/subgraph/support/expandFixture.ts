/**
 * Turns a fixture of subgraph/tests (grammar in the README there) into a test file of `gnd test`: names of contracts
 * become addresses, names of events their signatures, `$name` a fixed address or hash.
 */
import { assignmentAbi } from "@ngpu/protocol/generated/abi/assignment";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { disputesAbi } from "@ngpu/protocol/generated/abi/disputes";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { scoreBoardAbi } from "@ngpu/protocol/generated/abi/scoreBoard";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { keccak256, toBytes, type AbiEvent } from "viem";

export interface FixtureEvent {
  address: string;
  event: string;
  params: Record<string, unknown>;
  txHash?: string;
}

export interface Fixture {
  name: string;
  addresses: string[];
  hashes: string[];
  blocks: { number: number; timestamp: number; events: FixtureEvent[] }[];
  assertions: { query: string; expected: unknown }[];
}

const { nodeRegistry, stakeVault, paymentVault, taskEscrow, deploymentBlock } = deployments[31337];
const { sessionSettlement, availability, disputes, scoreBoard, selection, keeperBonds, assignment } = deployments[31337];
const contracts = new Map([
  ["NodeRegistry", { address: nodeRegistry, events: eventsOf(nodeRegistryAbi) }],
  ["StakeVault", { address: stakeVault, events: eventsOf(stakeVaultAbi) }],
  ["PaymentVault", { address: paymentVault, events: eventsOf(paymentVaultAbi) }],
  ["TaskEscrow", { address: taskEscrow, events: eventsOf(taskEscrowAbi) }],
  ["ScoreBoard", { address: scoreBoard, events: eventsOf(scoreBoardAbi) }],
  ["Selection", { address: selection, events: eventsOf(selectionAbi) }],
  ["KeeperBonds", { address: keeperBonds, events: eventsOf(keeperBondsAbi) }],
  ["Assignment", { address: assignment, events: eventsOf(assignmentAbi) }],
  ["Availability", { address: availability, events: eventsOf(availabilityAbi) }],
  ["Disputes", { address: disputes, events: eventsOf(disputesAbi) }],
  ["SessionSettlement", { address: sessionSettlement, events: eventsOf(sessionSettlementAbi) }],
]);

export function expandFixture(fixture: Fixture): string {
  const { name, blocks, assertions } = fixture;
  const values = new Map([
    ...fixture.addresses.map((each) => [each, `0x${keccak256(toBytes(each)).slice(-40)}`] as const),
    ...fixture.hashes.map((each) => [each, keccak256(toBytes(each))] as const),
  ]);
  const expanded = blocks.map((block) => ({ ...block, events: block.events.map(expandEvent) }));
  // gnd takes the first block as indexed already: the one before the manifest's start block.
  const genesis = { number: deploymentBlock - 1, timestamp: 0, events: [] };
  return JSON.stringify({ name, blocks: [genesis, ...expanded], assertions }).replace(/\$(\w+)/g, (_, key: string) => {
    const value = values.get(key);
    if (!value) throw new Error(`${name}: $${key} is not declared`);
    return value;
  });
}

function expandEvent(event: FixtureEvent): FixtureEvent {
  const contract = contracts.get(event.address);
  const found = contract?.events.find(({ name }) => name === event.event);
  if (!contract || !found) throw new Error(`${event.address} has no event ${event.event}`);

  const names = found.inputs.map((input) => input.name ?? "");
  const given = Object.keys(event.params);
  const strange = [...names.filter((each) => !given.includes(each)), ...given.filter((each) => !names.includes(each))];
  if (strange.length > 0) throw new Error(`${event.event}: missing or unknown parameters ${strange.join(", ")}`);
  return { ...event, address: contract.address, event: signatureOf(found) };
}

function signatureOf(event: AbiEvent): string {
  const inputs = event.inputs.map(({ type, indexed, name }) => `${type}${indexed ? " indexed" : ""} ${name ?? ""}`);
  return `${event.name}(${inputs.join(", ")})`;
}

function eventsOf(abi: readonly { type: string }[]): AbiEvent[] {
  return abi.filter((entry): entry is AbiEvent => entry.type === "event");
}
