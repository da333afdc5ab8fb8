/**
 * A real chain for tests that need one: an EDR JSON-RPC server on a free loopback port with the contracts of NgpuLocal
 * deployed, at the same addresses as on every fresh local chain. Blocks are mined per transaction; time moves when a
 * test says so.
 */
import { chainOf, createChain } from "@ngpu/protocol/service/chain";
import { deploymentOf, type Deployment } from "@ngpu/protocol/deployment";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createTestClient,
  createWalletClient,
  http,
  type Abi,
  type Account,
  type Address,
  type HDAccount,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import config from "../../hardhat.config.ts";
import NgpuLocal from "../../ignition/modules/NgpuLocal.ts";
import { startBreakableLine } from "./breakableLine.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const chainId = 31_337;
const mnemonic = "test test test test test test test test test test test junk";

export interface TestChain {
  rpcUrl: string;
  chainId: number;
  deployment: Deployment;
  client: PublicClient;
  /** Funded development account: 0 deploys and sets policy, 1 is the keeper, the others are free. */
  account(index: number): HDAccount;
  /** Sends a transaction and waits for it. Throws when it reverts. */
  write(call: {
    account: Account;
    address: Address;
    abi: Abi;
    functionName: string;
    args: readonly unknown[];
  }): Promise<TransactionReceipt>;
  /** Chain time of the newest block, in seconds. */
  nowS(): Promise<number>;
  increaseTime(seconds: number): Promise<void>;
  mine(blocks: number): Promise<void>;
  /** While off, transactions wait until `mine`. */
  setAutomine(on: boolean): Promise<void>;
  /** `revert` takes everything since the snapshot back, as a reorganisation would. */
  snapshot(): Promise<Hex>;
  revert(id: Hex): Promise<void>;
  close(): Promise<void>;
}

export async function startTestChain(options: { port?: number } = {}): Promise<TestChain> {
  // Ignition keeps a journal per chain id; one that outlived its chain would make it believe that everything is there.
  const journal = await mkdtemp(join(tmpdir(), "ngpu-journal-"));
  const paths = { ...config.paths, ignition: journal };
  const hre = await createHardhatRuntimeEnvironment({ ...config, paths }, {}, root);
  const server = await hre.network.createServer("default", "127.0.0.1", 0);
  const { port } = await server.listen();
  // The server ends only once nobody talks to it, which a service that polls never lets happen: the line cuts it off.
  const line = await startBreakableLine(`http://127.0.0.1:${port}`, options.port);
  const rpcUrl = line.url;
  const close = async (): Promise<void> => {
    await line.close();
    await server.close();
  };
  try {
    const connection = await hre.network.create({ network: "localhost", override: { url: rpcUrl } });
    await connection.ignition.deploy(NgpuLocal);
    await connection.close();
  } catch (error) {
    await close();
    throw error;
  } finally {
    await rm(journal, { recursive: true, force: true });
  }
  const client = await createChain({ rpcUrl, chainId });
  const transport = http(rpcUrl);
  const chain = chainOf(chainId, rpcUrl);
  const control = createTestClient({ mode: "hardhat", chain, transport });
  return {
    rpcUrl,
    chainId,
    deployment: deploymentOf(chainId),
    client,
    account: (index) => mnemonicToAccount(mnemonic, { addressIndex: index }),
    async write({ account, ...call }) {
      const wallet = createWalletClient({ account, chain, transport });
      const { request } = await client.simulateContract({ account, ...call });
      const hash = await wallet.writeContract({ ...request, account, chain });
      return client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    },
    nowS: async () => Number((await client.getBlock()).timestamp),
    async increaseTime(seconds) {
      await control.increaseTime({ seconds });
      await control.mine({ blocks: 1 });
    },
    mine: (blocks) => control.mine({ blocks }),
    setAutomine: (on) => control.setAutomine(on),
    snapshot: () => control.snapshot(),
    revert: (id) => control.revert({ id }),
    close,
  };
}
