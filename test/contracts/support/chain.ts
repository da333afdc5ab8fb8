/** One in-process chain: sending transactions as any account, moving time, and going back to a remembered state. */
import hre from "hardhat";
import {
  getAddress,
  parseEventLogs,
  type Abi,
  type Account,
  type Address,
  type ContractEventArgsFromTopics,
  type ContractEventName,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type Hex,
  type TransactionReceipt,
  type WriteContractParameters,
} from "viem";

export interface ContractRef<abi extends Abi = Abi> {
  readonly abi: abi;
  readonly address: Address;
}

type Writing = "nonpayable" | "payable";
export type Chain = Awaited<ReturnType<typeof createChain>>;

/** Enough for any call; given explicitly so that nothing is simulated before it is sent. */
const GAS = 12_000_000n;
/** As much as EIP-7825 lets one transaction have. */
const DEPLOY_GAS = 16_777_216n;

export async function createChain() {
  const connection = await hre.network.create("default");
  const publicClient = await connection.viem.getPublicClient();
  const wallets = await connection.viem.getWalletClients();
  const { time, takeSnapshot } = connection.networkHelpers;
  let snapshot = await takeSnapshot();

  /**
   * Sends one call and waits for it. Rejects with the revert's data when it reverts. `at` fixes the block's
   * timestamp, `value` goes along in wei of the chain's coin, `gas` is the limit.
   */
  async function send<
    const abi extends Abi,
    name extends ContractFunctionName<abi, Writing>,
    args extends ContractFunctionArgs<abi, Writing, name>,
  >(
    from: Address | Account,
    to: ContractRef<abi>,
    functionName: name,
    args: args,
    { at, value, gas = GAS }: { at?: number; value?: bigint; gas?: bigint } = {},
  ): Promise<TransactionReceipt> {
    const wallet = wallets[0];
    if (wallet === undefined) throw new Error("the chain has no accounts");
    if (at !== undefined) await time.setNextBlockTimestamp(at);
    const call = { abi: to.abi, address: to.address, functionName, args, account: from, gas, value };
    const hash = await wallet.writeContract(call as unknown as WriteContractParameters);
    return publicClient.getTransactionReceipt({ hash });
  }

  /** Deploys an artifact of this repository as account `from`. */
  async function deploy<const abi extends Abi>(
    name: string,
    abi: abi,
    args: readonly unknown[],
    from: Address = accountAt(0),
  ): Promise<ContractRef<abi>> {
    const artifact = await hre.artifacts.readArtifact(name);
    const wallet = await connection.viem.getWalletClient(from);
    const hash = await wallet.deployContract({
      abi: artifact.abi as Abi,
      bytecode: artifact.bytecode as Hex,
      args,
      gas: DEPLOY_GAS,
    });
    const { contractAddress } = await publicClient.getTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${name} was not deployed`);
    return { abi, address: contractAddress };
  }

  function accountAt(index: number): Address {
    const wallet = wallets[index];
    if (wallet === undefined) throw new RangeError(`the chain has no account ${index}`);
    return getAddress(wallet.account.address);
  }

  return {
    connection,
    publicClient,
    accountAt,
    send,
    deploy,
    /** Chain time of the newest block, in seconds. */
    now: () => time.latest(),
    increaseTo: (timestamp: number) => time.increaseTo(timestamp),
    increase: (seconds: number) => time.increase(seconds),
    /** What `restore` goes back to from now on. */
    async remember() {
      snapshot = await takeSnapshot();
    },
    restore: () => snapshot.restore(),
    close: () => connection.close(),
  };
}

/** The arguments of every `eventName` of `contract` in a receipt, in order. */
export function eventsOf<const abi extends Abi, name extends ContractEventName<abi>>(
  receipt: TransactionReceipt,
  contract: ContractRef<abi>,
  eventName: name,
): ContractEventArgsFromTopics<abi, name>[] {
  const logs = receipt.logs.filter((log) => log.address.toLowerCase() === contract.address.toLowerCase());
  const events: readonly { args: unknown }[] = parseEventLogs({ abi: contract.abi as Abi, eventName, logs });
  return events.map(({ args }) => args as ContractEventArgsFromTopics<abi, name>);
}
