/** What no deployment can do, because other accounts must: each step with who does it and the exact call. */
import { encodeFunctionData, isAddressEqual, parseAbi, type Address, type Hex } from "viem";
import type { Subject } from "./subject.ts";

export interface OpenStep {
  readonly what: string;
  readonly who: Address;
  readonly to: Address;
  readonly call: string;
  readonly data: Hex;
}

const seedsAbi = parseAbi([
  "function owner() view returns (address)",
  "function transferOwnership(address to)",
  "function acceptOwnership()",
]);
const managerAbi = parseAbi([
  "function schedule(address target, bytes data, uint48 when) returns (bytes32 operationId, uint32 nonce)",
]);
const coordinatorAbi = parseAbi([
  "function getSubscription(uint256 subId) view returns (uint96, uint96, uint64, address subOwner, address[] consumers)",
  "function addConsumer(uint256 subId, address consumer)",
]);

export async function findOpenSteps(subject: Subject): Promise<OpenStep[]> {
  return [...(await ownership(subject)), ...(await consumer(subject))];
}

/** The deployment hands the seed source over itself; this is for one whose last transactions never came. */
async function ownership({ chain, configuration, addresses }: Subject): Promise<OpenStep[]> {
  const { accessManager, seedSource } = addresses;
  const owner = await chain.readContract({ abi: seedsAbi, address: seedSource, functionName: "owner" });
  if (isAddressEqual(owner, accessManager)) return [];
  const accept = encodeFunctionData({ abi: seedsAbi, functionName: "acceptOwnership" });
  return [
    {
      what: `the seed source still belongs to ${owner}: offer it to the access manager`,
      who: owner,
      to: seedSource,
      call: `transferOwnership(${accessManager})`,
      data: encodeFunctionData({ abi: seedsAbi, functionName: "transferOwnership", args: [accessManager] }),
    },
    {
      what: `accept it through the access manager: schedule, then execute after ${configuration.roles.adminDelaySeconds} s`,
      who: configuration.roles.admin,
      to: accessManager,
      call: `schedule(${seedSource}, ${accept}, 0)`,
      data: encodeFunctionData({ abi: managerAbi, functionName: "schedule", args: [seedSource, accept, 0] }),
    },
  ];
}

async function consumer({ chain, configuration, addresses }: Subject): Promise<OpenStep[]> {
  const { seedSource } = addresses;
  const { subscriptionId } = configuration.vrf;
  const to = configuration.external.vrfCoordinator;
  const coordinator = { abi: coordinatorAbi, address: to } as const;
  const args = [subscriptionId] as const;
  const [, , , who, consumers] = await chain.readContract({ ...coordinator, functionName: "getSubscription", args });
  if (consumers.some((account) => isAddressEqual(account, seedSource))) return [];
  const consumer = [subscriptionId, seedSource] as const;
  return [
    {
      what: "make the seed source a consumer of the VRF subscription, and fund that: no seed arrives before",
      who,
      to,
      call: `addConsumer(${subscriptionId}, ${seedSource})`,
      data: encodeFunctionData({ abi: coordinatorAbi, functionName: "addConsumer", args: consumer }),
    },
  ];
}
