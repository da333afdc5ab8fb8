/**
 * The whole of NGPU on this machine: chain, contracts, price feed, index, gateway, keeper, agents and dApp, each a
 * process of its own with its own log. Chain, index and journals are made anew together: none of them means anything
 * without the others.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { localAccounts, type LocalAccount } from "./accounts.ts";
import { bondKeeper } from "./bondKeeper.ts";
import { deployContracts, startChain } from "./chain.ts";
import { requireFreeDisk } from "./disk.ts";
import { startIndex, type LocalIndex } from "./localIndex.ts";
import { drip, readRegistration, registerNode } from "./nodes.ts";
import { paths } from "./paths.ts";
import type { Builds } from "./prepare.ts";
import { requireFreePorts, type PortName, type StackPorts } from "./ports.ts";
import type { Service } from "./process/service.ts";
import { createSupervisor } from "./process/supervisor.ts";
import type { Progress } from "./progress.ts";
import { createServices } from "./services.ts";
import { StackError } from "./stackError.ts";
import { untilOnline } from "./untilOnline.ts";
import { stackUrls, type Detours, type StackUrls } from "./urls.ts";

export interface StackOptions {
  dataDir: string;
  ports: StackPorts;
  /** Registered and staked nodes, at most as many as localAccounts has owners. */
  agents: number;
  dapp: boolean;
  subgraph: boolean;
  progress: Progress;
  detours?: Detours;
  /** Canaries of the keeper, now or later: it audits nodes with them, and posts no task of its own without. */
  canaryFolder?: string;
  /** A part has ended without having been asked to. */
  onLost: (part: string, report: string) => void;
}

export interface StackNode {
  readonly name: string;
  /** Undefined where nobody has registered it for its owner. */
  readonly nodeId: number | undefined;
  readonly owner: LocalAccount;
  /** What the agent printed for its owner to register with. */
  readonly registration: string;
  service: Service;
}

/** Parts that may die and come back while the others run; `index` is graph-node with its Postgres. */
export type ReplaceablePart = "gateway" | "keeper" | "dapp" | "index";

export interface Stack {
  readonly urls: StackUrls;
  readonly nodes: readonly StackNode[];
  /** Process ids by the part's name; empty before the start. */
  pids(): Record<string, number>;
  /** Refuses in one line what would fail later: a port that is taken, a disk that is full. */
  requireResources(): Promise<void>;
  /** Each part begins as soon as what it needs is built. */
  start(builds: Builds): Promise<void>;
  /** One more agent, which its owner has yet to register. */
  addAgent(options: { name: string; owner: LocalAccount }): Promise<StackNode>;
  /** Starts the agent again with its key and its journal. */
  restartAgent(node: StackNode): Promise<void>;
  /** SIGKILL, as a crash is; resolves when the part has ended. */
  kill(part: ReplaceablePart): Promise<void>;
  /** Starts a part that was killed again: with its data, but for the index, which is made anew from the chain. */
  restart(part: ReplaceablePart): Promise<void>;
  /** Ends everything, also in the middle of a start; resolves when nothing runs. */
  stop(): Promise<void>;
}

/** Marks a data folder as one that was made here. */
const marker = ".ngpu-data";

export function createStack(options: StackOptions): Stack {
  const { dataDir, ports, progress, onLost } = options;
  const logFolder = join(dataDir, "logs");
  const urls = stackUrls(options);
  const rpcUrl = urls.rpc;
  const supervisor = createSupervisor({ dataDir, logFolder, onLost });
  const rpcOfServices = options.detours?.rpc ?? rpcUrl;
  const services = createServices({
    ...{ dataDir, ports, urls, rpcUrl: rpcOfServices, supervisor },
    canaryFolder: options.canaryFolder,
  });
  const nodes: StackNode[] = [];
  const started: Partial<Record<Exclude<ReplaceablePart, "index">, Service>> = {};
  let index: LocalIndex | undefined;

  const startPart = async (part: Exclude<ReplaceablePart, "index">): Promise<void> => {
    started[part] = await services[part]();
  };

  const startChainWithContracts = async (built: Promise<void>): Promise<void> => {
    await progress.step(`chain at ${rpcUrl}`, () => startChain({ port: ports.chain, supervisor }));
    await built;
    await progress.step("contracts", () => deployContracts({ rpcUrl, dataDir, logFolder }));
    const { payer, newcomer, owners, keeper, auditPayer } = localAccounts;
    const funded = [payer, newcomer, ...owners, keeper, ...(options.canaryFolder === undefined ? [] : [auditPayer])];
    await Promise.all([services.feed(), ...funded.map(({ account }) => drip({ rpcUrl, account }))]);
    await bondKeeper({ rpcUrl, account: keeper.account });
  };

  const startAgent = async ({
    name,
    owner,
  }: {
    name: string;
    owner: LocalAccount;
  }): Promise<Omit<StackNode, "nodeId">> => {
    const service = await services.agent({ name, owner });
    return { name, owner, registration: readRegistration(service.readyText()), service };
  };

  const startNodes = async (): Promise<void> => {
    const owners = localAccounts.owners.slice(0, options.agents);
    const agents = await Promise.all(
      owners.map((owner, position) => startAgent({ name: `agent-${position + 1}`, owner })),
    );
    // One after another, so that node 1 is the first owner's.
    for (const agent of agents) {
      const { owner, registration } = agent;
      nodes.push({ ...agent, nodeId: await registerNode({ rpcUrl, owner: owner.account, registration }) });
    }
    await untilOnline({ gatewayUrl: urls.gateway, nodeIds: nodes.flatMap(({ nodeId }) => nodeId ?? []) });
  };

  const startNetwork = async (): Promise<void> => {
    await progress.step(`gateway at ${urls.gateway}`, () => startPart("gateway"));
    await Promise.all([
      progress.step("keeper", () => startPart("keeper")),
      progress.step(`${options.agents} agents registered, staked and online`, startNodes),
    ]);
  };

  return {
    urls,
    nodes,
    async addAgent(agent) {
      const node = { ...(await startAgent(agent)), nodeId: undefined };
      nodes.push(node);
      return node;
    },
    async restartAgent(node) {
      node.service = await services.agent(node);
    },
    async kill(part) {
      if (part === "index") await index?.kill();
      else await started[part]?.kill();
    },
    async restart(part) {
      if (part === "index") await index?.restart();
      else await startPart(part);
    },
    pids: () => Object.fromEntries(supervisor.parts().map(({ name, pid }) => [name, pid])),
    async requireResources() {
      requireOwnFolder(dataDir);
      await requireFreePorts(ports, portsOf(options));
      await requireFreeDisk(paths.root);
      mkdirSync(dirname(dataDir), { recursive: true });
      await requireFreeDisk(dirname(dataDir));
    },
    async start(builds) {
      await requireFreePorts(ports, portsOf(options));
      requireOwnFolder(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
      // Others may pass through (Postgres runs as an account of its own) but not look into it.
      mkdirSync(dataDir, { recursive: true, mode: 0o711 });
      mkdirSync(logFolder);
      writeFileSync(join(dataDir, marker), "This folder is emptied at every start.\n");
      const chain = startChainWithContracts(builds.contracts);
      const startSubgraph = async (): Promise<void> => {
        const ready = Promise.all([chain, builds.subgraph]);
        index = await startIndex({ dataDir, ports, rpcUrl: rpcOfServices, ready, supervisor, progress });
      };
      const startDapp = async (): Promise<void> => {
        await builds.dapp;
        await progress.step(`dApp at ${urls.dapp}`, () => startPart("dapp"));
      };
      await Promise.all([
        chain.then(startNetwork),
        ...(options.subgraph ? [startSubgraph()] : []),
        ...(options.dapp ? [startDapp()] : []),
      ]);
    },
    stop: () => supervisor.stop(),
  };
}

/** The folder is emptied, so it must be one that a stack made, or none. */
function requireOwnFolder(dataDir: string): void {
  if (dataDir.startsWith(paths.state)) return;
  const isForeign = existsSync(dataDir) && readdirSync(dataDir).length > 0 && !existsSync(join(dataDir, marker));
  if (isForeign)
    throw new StackError(
      `${dataDir} holds something else and would be emptied: choose another folder (NGPU_DATA_DIR).`,
    );
}

function portsOf(options: StackOptions): PortName[] {
  const graph: PortName[] = ["graphHttp", "graphAdmin", "graphIndex", "graphMetrics", "postgres", "ipfs"];
  return ["chain", "gateway", ...(options.dapp ? (["dapp"] as const) : []), ...(options.subgraph ? graph : [])];
}
