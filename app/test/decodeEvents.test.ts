/** Every event of every contract of the deployment is shown under its name, and every error has words. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { explainContractError } from "@ngpu/protocol/explainContractError";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { encodeAbiParameters, encodeEventTopics, parseAbiItem, type AbiEvent, type AbiParameter, type Log } from "viem";
import { contractAbis } from "../lib/contractAbis.ts";
import { decodeEvents } from "../lib/decodeEvents.ts";
import { appDeployment } from "../lib/deployment.ts";

const deployment = appDeployment(31337);
const { deploymentBlock: _, ...addresses } = deployments[31337];
const logOf = (address: string, event: AbiEvent, given: Record<string, unknown> = {}): Log => {
  const indexed = event.inputs.filter((input) => input.indexed === true);
  const args = Object.fromEntries(indexed.map((input) => [input.name, zeroOf(input)]));
  const rest = event.inputs.filter((input) => input.indexed !== true);
  const valueOf = (input: AbiParameter): unknown => given[input.name ?? ""] ?? zeroOf(input);
  const topics = encodeEventTopics({ abi: [event], eventName: event.name, args });
  return { address, topics, data: encodeAbiParameters(rest, rest.map(valueOf)), logIndex: 0 } as unknown as Log;
};

describe("events of a transaction", () => {
  it("are known for every contract of the deployment", async () => {
    for (const [key, address] of Object.entries(addresses)) {
      const { name, abi } = contractAbis[key as keyof typeof addresses];
      for (const event of abi.filter((entry) => entry.type === "event")) {
        const [shown] = await decodeEvents([logOf(address, event)], deployment);
        expect(shown, `${name}.${event.name}`).to.include({ contract: name, name: event.name });
        expect(shown?.args.map((arg) => arg.name)).to.have.members(event.inputs.map((input) => input.name));
      }
    }
  });

  it("tell lists of structs part by part", async () => {
    const event = contractAbis.taskEscrow.abi.find((entry) => entry.type === "event" && entry.name === "TaskAssigned");
    const seats = [
      { nodeId: 7, powerCu: 1_000 },
      { nodeId: 2, powerCu: 4_000 },
    ];
    const [shown] = await decodeEvents([logOf(addresses.taskEscrow, event as AbiEvent, { seats })], deployment);
    const told = shown?.args.find(({ name }) => name === "seats")?.value;
    expect(told).to.equal("nodeId 7, powerCu 1000; nodeId 2, powerCu 4000");
  });

  it("stay undecoded when another contract left them", async () => {
    const other = "0x00000000000000000000000000000000000000aa";
    const [shown] = await decodeEvents([logOf(other, parseAbiItem("event Other(uint256 value)"))], deployment);
    expect(shown).to.deep.include({ contract: other, name: "Unknown event" });
  });

  it("go with words for every error that the same contracts declare themselves", () => {
    const own = ["sessionSettlement", "stakeVault", "paymentVault", "nodeRegistry", "taskEscrow", "disputes"] as const;
    for (const key of own) {
      const errors = contractAbis[key].abi.filter((entry) => entry.type === "error");
      const silent = errors.filter(({ name }) => explainContractError({ name, args: {} }) === undefined);
      // Those of OpenZeppelin's parts begin otherwise.
      const ours = silent.filter(({ name }) =>
        /^(Session|Stake|Exit|Slash|Thaw|Payment|Node|Operator|Task|Dispute)/.test(name),
      );
      expect(ours, key).to.deep.equal([]);
    }
  });
});

function zeroOf(parameter: AbiParameter): unknown {
  const { type } = parameter;
  if (type.endsWith("[]")) return [];
  if (type === "tuple") {
    const { components } = parameter as unknown as { components: readonly AbiParameter[] };
    return Object.fromEntries(components.map((part) => [part.name, zeroOf(part)]));
  }
  if (type === "bool") return false;
  if (type === "string") return "";
  if (type === "address") return `0x${"00".repeat(20)}`;
  if (type === "bytes") return "0x";
  const bytes = /^bytes(\d+)$/.exec(type)?.[1];
  if (bytes !== undefined) return `0x${"00".repeat(Number(bytes))}`;
  const bits = /^u?int(\d+)$/.exec(type)?.[1];
  return Number(bits) <= 48 ? 0 : 0n;
}
