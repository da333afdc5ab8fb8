/**
 * Puts stand-ins of tokens, feeds and coordinator at the addresses that the configuration names, on a chain of a dry
 * run. Local ones refuse to be constructed under any other chain id, so each is constructed on a scratch chain, and its
 * code and the storage that its constructor wrote are copied.
 */
import type { NetworkConnection } from "hardhat/types/network";
import {
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  keccak256,
  parseAbi,
  parseAbiParameters,
  toHex,
  type Abi,
  type Address,
  type Hex,
} from "viem";
import type { Configuration } from "../configuration/configuration.ts";
import type { LocalChain } from "./localChain.ts";

export interface StandIn {
  /** Field of `external`. */
  readonly field: string;
  readonly address: Address;
  /** The contract of this repository that stands there. */
  readonly contract: string;
}

/** Owns the whole supply of both tokens and the subscription. */
export const standInOwner: Address = "0x4e67705500000000000000000000000000000001";

const feedAbi = parseAbi(["function script(uint80 roundId, int256 answer, uint256 updatedAt, uint80 answeredInRound)"]);
const coordinatorAbi = parseAbi(["function createSubscription() returns (uint256)"]);
const supply = 10n ** 27n;
/** Believable, and a little above the least that is: then a node's stake for one task is no fortune. */
const answerOf = ({ minFeedAnswer, maxFeedAnswer }: Configuration["price"]): bigint =>
  minFeedAnswer + (maxFeedAnswer - minFeedAnswer) / 20_000n;
/** Mappings of a coordinator are declared among its first variables. */
const mostSlots = 64n;

export async function plantStandIns(chain: LocalChain, configuration: Configuration): Promise<StandIn[]> {
  const { paymentToken, stakeToken, priceFeed, priceFeedDecimals, sequencerFeed, vrfCoordinator } =
    configuration.external;
  const wanted = [
    { field: "paymentToken", address: paymentToken, contract: "LocalUsd", args: [standInOwner, supply] },
    { field: "stakeToken", address: stakeToken, contract: "NgpuToken", args: [standInOwner, supply] },
    { field: "priceFeed", address: priceFeed, contract: "ScriptedFeed", args: [priceFeedDecimals] },
    { field: "sequencerFeed", address: sequencerFeed, contract: "ScriptedFeed", args: [0] },
    { field: "vrfCoordinator", address: vrfCoordinator, contract: "VRFCoordinatorV2_5Mock", args: [1n, 1n, 1n] },
  ];
  const scratch = await chain.hre.network.create("default");
  const planted: StandIn[] = [];
  try {
    for (const { field, address, contract, args } of wanted) {
      if (address === null) continue;
      const made = await construct(chain, scratch, { contract, args });
      await chain.control.setCode({ address, bytecode: made.code });
      for (const [index, value] of made.storage) await chain.control.setStorageAt({ address, index, value });
      if (field === "vrfCoordinator") {
        const slot = await subscriptionSlot(scratch, made.at);
        await giveSubscription(chain, { coordinator: address, slot, subscriptionId: configuration.vrf.subscriptionId });
      }
      planted.push({ field, address, contract });
    }
  } finally {
    await scratch.close();
  }
  await wakeFeeds(chain, configuration);
  return planted;
}

/** The sequencer has been up for longer than its grace, and the price is of now. */
export async function wakeFeeds(chain: LocalChain, { external, price }: Configuration): Promise<void> {
  const { timestamp } = await chain.client.getBlock();
  const upSince = timestamp - BigInt(price.sequencerGraceSeconds) - 1n;
  const script = (to: Address, answer: bigint, at: bigint) =>
    chain.send({ from: standInOwner, to, abi: feedAbi, functionName: "script", args: [1n, answer, at, 1n] });
  if (external.sequencerFeed !== null) await script(external.sequencerFeed, 0n, upSince);
  await script(external.priceFeed, answerOf(price), timestamp);
}

type Scratch = NetworkConnection<string>;

interface Constructed {
  readonly at: Address;
  readonly code: Hex;
  readonly storage: readonly (readonly [Hex, Hex])[];
}

async function construct(
  chain: LocalChain,
  scratch: Scratch,
  { contract, args }: { contract: string; args: readonly unknown[] },
): Promise<Constructed> {
  const { abi, bytecode } = await chain.hre.artifacts.readArtifact(contract);
  const data = encodeDeployData({ abi: abi as Abi, bytecode: bytecode as Hex, args });
  const { receipt, storage } = await act(scratch, { data });
  const at = getAddress(String(receipt.contractAddress));
  const code = await scratch.provider.request({ method: "eth_getCode", params: [at, "latest"] });
  return { at, code: code as Hex, storage };
}

/** Which of its variables holds subscriptions: the one under which a new subscription's owner was written. */
async function subscriptionSlot(scratch: Scratch, coordinator: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: coordinatorAbi, functionName: "createSubscription" });
  const { receipt, storage, from } = await act(scratch, { to: coordinator, data });
  const subscriptionId = BigInt(receipt.logs[0]?.topics[1] ?? 0);
  for (let slot = 0n; slot < mostSlots; slot += 1n) {
    const key = mappingKey(subscriptionId, slot);
    const written = storage.find(([index]) => BigInt(index) === BigInt(key));
    if (written !== undefined && BigInt(written[1]) === BigInt(from)) return slot;
  }
  throw new Error("the coordinator keeps its subscriptions elsewhere");
}

async function giveSubscription(
  chain: LocalChain,
  request: { coordinator: Address; slot: bigint; subscriptionId: bigint },
): Promise<void> {
  const { coordinator, slot, subscriptionId } = request;
  const value = encodeAbiParameters(parseAbiParameters("address"), [standInOwner]);
  await chain.control.setStorageAt({ address: coordinator, index: mappingKey(subscriptionId, slot), value });
}

function mappingKey(key: bigint, slot: bigint): Hex {
  return keccak256(encodeAbiParameters(parseAbiParameters("uint256, uint256"), [key, slot]));
}

interface Receipt {
  readonly contractAddress: string | null;
  readonly logs: readonly { readonly topics: readonly Hex[] }[];
}

/** One transaction on the scratch chain, and what it wrote. */
async function act(scratch: Scratch, call: { to?: Address; data: Hex }) {
  const request = <T>(method: string, params: readonly unknown[]): Promise<T> =>
    scratch.provider.request({ method, params: [...params] }) as Promise<T>;
  const [from = "0x"] = await request<Address[]>("eth_accounts", []);
  const gas = toHex(16_000_000);
  const hash = await request<Hex>("eth_sendTransaction", [{ from, gas, ...call }]);
  const receipt = await request<Receipt>("eth_getTransactionReceipt", [hash]);
  const trace = await request<{ structLogs: readonly { op: string; stack: readonly string[] }[] }>(
    "debug_traceTransaction",
    [hash, { disableMemory: true, disableStorage: true }],
  );
  const storage = trace.structLogs
    .filter(({ op }) => op === "SSTORE")
    .map(({ stack }) => [word(stack.at(-1)), word(stack.at(-2))] as const);
  return { from, receipt, storage };
}

function word(value = "0"): Hex {
  return toHex(BigInt(value.startsWith("0x") ? value : `0x${value}`), { size: 32 });
}
