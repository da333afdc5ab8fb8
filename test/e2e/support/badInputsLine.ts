/**
 * A small line that is given bad things: chain, gateway, keeper, one agent of the stack and one whose operator has
 * taken in bad models. The payer's money lies in the vault, and every test ends in how much of it lies where.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { localPriceFeedAbi } from "@ngpu/protocol/generated/abi/localPriceFeed";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { expect } from "chai";
import {
  createWalletClient,
  http,
  type Abi,
  type Account,
  type Address,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from "viem";
import { generatePrivateKey } from "viem/accounts";
import { hardhat } from "viem/chains";
import { localAccounts, type LocalAccount } from "../../../scripts/stack/accounts.ts";
import { deployContracts, localClient, startChain } from "../../../scripts/stack/chain.ts";
import { drip, readRegistration, registerNode } from "../../../scripts/stack/nodes.ts";
import { freePorts } from "../../../scripts/stack/ports.ts";
import { startBuilds } from "../../../scripts/stack/prepare.ts";
import { createSupervisor, type Supervisor } from "../../../scripts/stack/process/supervisor.ts";
import { createProgress } from "../../../scripts/stack/progress.ts";
import { createStack, type Stack } from "../../../scripts/stack/stack.ts";
import { temporaryFolder } from "../../../scripts/stack/temporaryFolder.ts";
import { untilOnline } from "../../../scripts/stack/untilOnline.ts";
import { writeBadModels, type BadModels } from "./badInputsModels.ts";
import { creditOf, readLedger } from "./ledger.ts";
import { until } from "./until.ts";

/** In base units of the payment token. */
export interface Purse {
  /** In the payer's wallet. */
  wallet: bigint;
  available: bigint;
  reserved: bigint;
  /** Credit of all nodes' owners together. */
  nodes: bigint;
}

export interface RegisteredNode {
  nodeId: number;
  owner: LocalAccount;
  operatorKey: Hex;
  /** What its agent printed for the owner. */
  registration: string;
}

export interface BadInputsLine {
  stack: Stack;
  chain: PublicClient;
  folder: string;
  models: BadModels;
  /** The stack's agent. */
  plain: RegisteredNode;
  /** Serves the catalogue and the bad models. */
  careless: RegisteredNode;
  /** Where its agent shows how it is. */
  carelessOpsUrl: string;
  /** Parts that ended without having been asked to. */
  lost: string[];
  logOf(part: string): string;
  write(call: Call): Promise<TransactionReceipt>;
  /** SIGKILL to a part of the stack that nobody starts again. */
  killForGood(part: "feed" | "chain"): Promise<void>;
  /** Kills the chain and begins another one in its place: the payer has a deposit again, nobody is registered. */
  beginAnew(): Promise<void>;
  /** Takes a node out of what keepers assign, or puts it back. */
  drain(node: RegisteredNode, draining: boolean): Promise<void>;
  /** A fresh answer of the price feed. */
  refreshPrice(): Promise<void>;
  purse(): Promise<Purse>;
  /** Where the money is now; anything but `change` is a failure. */
  expectMoney(context: TestContext, before: Purse, change: Partial<Purse>): Promise<void>;
  stop(): Promise<void>;
}

export interface Call {
  account: Account;
  address: Address;
  abi: Abi;
  functionName: string;
  args: readonly unknown[];
}

const contracts = deployments[31337];
const vault = { address: contracts.paymentVault, abi: paymentVaultAbi } as const;
const token = { address: contracts.localUsd, abi: localUsdAbi } as const;
const feed = { address: contracts.localPriceFeed, abi: localPriceFeedAbi } as const;
const payer = localAccounts.payer.account;
const [, carelessOwner] = localAccounts.owners;
const endWithinMs = 10_000;
const depositUsd6 = 20_000_000n;

export async function startBadInputsLine(): Promise<BadInputsLine> {
  const progress = createProgress();
  const parts = { dapp: false, subgraph: false };
  const builds = startBuilds({ ...parts, progress });
  await builds.contracts;
  const [dataDir, folder] = [temporaryFolder("inputs"), temporaryFolder("inputs-more")];
  const lost: string[] = [];
  const onLost = (part: string, report: string): void => {
    lost.push(part);
    progress.note(report);
  };
  const ports = await freePorts();
  const stack = createStack({ dataDir, ports, agents: 1, ...parts, progress, onLost });
  const supervisor = createSupervisor({ dataDir: folder, logFolder: join(folder, "logs"), onLost });
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    await stack.stop();
    for (const path of [dataDir, folder]) rmSync(path, { recursive: true, force: true });
  };
  try {
    await stack.start(builds);
    const { urls } = stack;
    const chain = localClient(urls.rpc);
    const [first] = stack.nodes;
    if (first?.nodeId === undefined || carelessOwner === undefined) throw new Error("the line has no node");
    const operatorKey = `0x${readFileSync(join(dataDir, "keys", first.name), "utf8").trim()}` as const;
    const { nodeId, owner, registration } = first;
    const plain = { nodeId, owner, operatorKey, registration };
    const models = writeBadModels(join(folder, "models"));
    const { careless, opsUrl: carelessOpsUrl } = await startCareless({ supervisor, stack, folder, models, owner: carelessOwner });
    await untilOnline({ gatewayUrl: urls.gateway, nodeIds: [plain.nodeId, careless.nodeId] });

    const write = async ({ account, ...call }: Call): Promise<TransactionReceipt> => {
      const wallet = createWalletClient({ account, chain: hardhat, transport: http(urls.rpc), cacheTime: 0 });
      const { request } = await chain.simulateContract({ account, ...call });
      return chain.waitForTransactionReceipt({ hash: await wallet.writeContract({ ...request, account }) });
    };
    const deposit = async (): Promise<void> => {
      await write({ account: payer, ...token, functionName: "approve", args: [vault.address, depositUsd6] });
      await write({ account: payer, ...vault, functionName: "deposit", args: [payer.address, depositUsd6] });
    };
    await deposit();

    const killForGood = async (part: "feed" | "chain"): Promise<void> => {
      const pid = stack.pids()[part];
      if (pid === undefined) throw new Error(`the line has no ${part}`);
      process.kill(pid, "SIGKILL");
      await until(`the end of the ${part}`, endWithinMs, () => lost.includes(part) || undefined);
    };
    const purse = async (): Promise<Purse> => {
      const account = await chain.readContract({ ...vault, functionName: "accountOf", args: [payer.address] });
      const credits = await Promise.all(
        [plain, careless].map(({ owner }) => creditOf(chain, owner.account.address)),
      );
      return {
        wallet: await chain.readContract({ ...token, functionName: "balanceOf", args: [payer.address] }),
        available: account.availableUsd6,
        reserved: account.reservedUsd6,
        nodes: credits.reduce((sum, credit) => sum + credit, 0n),
      };
    };

    return {
      stack,
      chain,
      folder,
      models,
      plain,
      careless,
      carelessOpsUrl,
      lost,
      logOf: (part) =>
        readFileSync(join(part === "careless" ? folder : dataDir, "logs", `${part}.log`), "utf8"),
      write,
      killForGood,
      async beginAnew() {
        await killForGood("chain");
        await startChain({ port: ports.chain, supervisor });
        await deployContracts({ rpcUrl: urls.rpc, dataDir: join(folder, "anew"), logFolder: join(folder, "logs") });
        const funded = [localAccounts.payer, plain.owner, careless.owner];
        for (const { account } of funded) await drip({ rpcUrl: urls.rpc, account });
        await deposit();
      },
      async drain({ nodeId, owner }, draining) {
        const registry = { address: contracts.nodeRegistry, abi: nodeRegistryAbi };
        await write({ account: owner.account, ...registry, functionName: "setDraining", args: [nodeId, draining] });
      },
      async refreshPrice() {
        const [, answer] = await chain.readContract({ ...feed, functionName: "latestRoundData" });
        await write({ account: localAccounts.deployer.account, ...feed, functionName: "push", args: [answer] });
      },
      purse,
      async expectMoney(context, before, change) {
        const after = await purse();
        const expected = Object.fromEntries(
          Object.entries(before).map(([name, usd6]) => [name, usd6 + (change[name as keyof Purse] ?? 0n)]),
        );
        const said = Object.entries(after).map(([name, usd6]) => `${name} ${before[name as keyof Purse]} → ${usd6}`);
        context.diagnostic(`money in base units: ${said.join(", ")}`);
        expect(after).to.deep.equal(expected);
        const { heldUsd6, owedUsd6 } = await readLedger(chain);
        expect(owedUsd6).to.equal(heldUsd6);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startCareless(options: {
  supervisor: Supervisor;
  stack: Stack;
  folder: string;
  models: BadModels;
  owner: LocalAccount;
}): Promise<{ careless: RegisteredNode; opsUrl: string }> {
  const { supervisor, stack, folder, models, owner } = options;
  const { rpc, gateway } = stack.urls;
  const operatorKey = generatePrivateKey();
  const service = await supervisor.start("agents", {
    name: "careless",
    command: [process.execPath, join(import.meta.dirname, "badInputsAgent.ts")],
    env: {
      NGPU_CHAIN_ID: "31337",
      NGPU_RPC_URL: rpc,
      NGPU_GATEWAY_URL: gateway,
      NGPU_OWNER: owner.account.address,
      NGPU_OPERATOR_KEY: operatorKey,
      NGPU_DATA_DIR: join(folder, "careless"),
      NGPU_MODEL_DIR: join(folder, "models"),
      NGPU_TEST_MODELS: models.listFile,
      NGPU_OPS_PORT: "0",
    },
    ready: "line",
  });
  const registration = readRegistration(service.readyText());
  const nodeId = await registerNode({ rpcUrl: rpc, owner: owner.account, registration });
  const { ops } = JSON.parse(service.readyText()) as { ops: string };
  return { careless: { nodeId, owner, operatorKey, registration }, opsUrl: ops };
}
