/**
 * The local index: the real graph-node (`gnd dev`) on the built subgraph. It would listen on every interface and no
 * option of it changes that, so it runs in a network namespace and only the ports for queries and for its state are
 * bridged to loopback. Where that cannot be done it runs plainly and `exposed` says so.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NgpuError } from "@ngpu/protocol/errors";
import { dieWithStarter, type Command } from "./dieWithStarter.ts";
import { findGnd } from "./findGnd.ts";
import { openNetworkNamespace } from "./networkNamespace.ts";
import { requireFreePort } from "./requireFreePort.ts";

export interface GraphNode {
  /** GraphQL of the subgraph. */
  readonly queryUrl: string;
  /** GraphQL of graph-node itself: `indexingStatuses`. */
  readonly statusUrl: string;
  /** True when its ports are open to the network. */
  readonly exposed: boolean;
  readonly pid: number;
  /** Stop it before its Postgres: without one it waits for ever. */
  stop(): Promise<void>;
}

export interface GraphNodeOptions {
  rpcUrl: string;
  postgresUrl: string;
  ipfsUrl: string;
  ports: { http: number; admin: number; indexNode: number; metrics: number };
  /** Where it runs and its bridges have their socket files. */
  workDir: string;
  onLine?: (line: string) => void;
  /** Called when it ends without having been asked to. */
  onLost?: (report: string) => void;
  /** False: run plainly even where it could be isolated. */
  isolate?: boolean;
}

const manifest = path.resolve(import.meta.dirname, "../../subgraph/subgraph.yaml");
const network = "hardhat";
/** `gnd dev` calls the first subgraph so. */
const name = "subgraph-0";
const readyWithinMs = 30_000;
const graceMs = 1_500;
const pollMs = 25;

/**
 * Polls ten times a second, looks for a missed notification every second instead of every thirty, and gives a question
 * to the chain up after ten seconds instead of three minutes, during which it would index nothing.
 */
const environment = {
  GRAPH_LOG: "warn",
  ETHEREUM_POLLING_INTERVAL: "100",
  GRAPH_CHAIN_HEAD_WATCHER_TIMEOUT: "1",
  GRAPH_ETHEREUM_JSON_RPC_TIMEOUT: "10",
  NO_COLOR: "1",
};

export async function startGraphNode(options: GraphNodeOptions): Promise<GraphNode> {
  const { rpcUrl, postgresUrl, ipfsUrl, ports, workDir, isolate = true } = options;
  const { onLine = () => undefined, onLost = () => undefined } = options;
  const gnd = findGnd();
  if (!gnd) throw new NgpuError("SETTING_INVALID", { missingPackage: "@graphprotocol/gnd-linux-x64" });
  await mkdir(workDir, { recursive: true });

  const command: Command = [
    gnd, "dev", "--manifests", manifest,
    "--ethereum-rpc", `${network}:${rpcUrl}`, "--ipfs", ipfsUrl,
    "--http-port", String(ports.http), "--admin-port", String(ports.admin),
    "--index-node-port", String(ports.indexNode), "--metrics-port", String(ports.metrics),
  ];
  const outward = [rpcUrl, postgresUrl, ipfsUrl].map(loopbackPort);
  const inward = [ports.http, ports.indexNode];
  const namespace =
    isolate && outward.every((port) => port !== undefined)
      ? await openNetworkNamespace({ command, inward, outward, folder: path.resolve(workDir) })
      : undefined;
  if (!namespace) for (const port of Object.values(ports)) await requireFreePort({ port, host: "0.0.0.0" });

  const [program, ...args] = namespace?.command ?? dieWithStarter(command, "KILL");
  const child = spawn(program, args, {
    cwd: workDir,
    // The database's password must not be among the arguments, which every user of the machine can read.
    env: { ...process.env, ...environment, POSTGRES_URL: postgresUrl },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let asked = false;
  let isReady = false;
  // Its shutdown is loud (it ends in a panic of its own making) and says nothing that anybody could use.
  const lines = collectLines(child, (line) => asked || onLine(line));
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      if (isReady && !asked) onLost(`graph-node ended; its last lines:\n${lines()}`);
      resolve();
    };
    child.once("error", end);
    child.once("close", end);
  });
  const stop = async (): Promise<void> => {
    asked = true;
    // SIGINT is the signal it listens to; SIGTERM it ignores.
    signalGroup(child, "SIGINT");
    const insist = setTimeout(() => signalGroup(child, "SIGKILL"), graceMs);
    await ended;
    clearTimeout(insist);
    await namespace?.close();
  };

  const queryUrl = `http://127.0.0.1:${ports.http}/subgraphs/name/${name}`;
  const deadline = performance.now() + readyWithinMs;
  while (!(await answers(queryUrl))) {
    const isOver = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (isOver || performance.now() > deadline) {
      await stop();
      throw new NgpuError("INTERNAL", { program: "gnd", ended: isOver, output: lines() });
    }
    await sleep(pollMs);
  }
  isReady = true;
  return {
    queryUrl,
    statusUrl: `http://127.0.0.1:${ports.indexNode}/graphql`,
    exposed: namespace === undefined,
    pid: child.pid ?? 0,
    stop,
  };
}

async function answers(queryUrl: string): Promise<boolean> {
  try {
    const response = await fetch(queryUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ _meta { block { number } } }" }),
      signal: AbortSignal.timeout(1_000),
    });
    const { data } = (await response.json()) as { data?: { _meta?: unknown } };
    return data?._meta !== undefined;
  } catch {
    return false;
  }
}

/** The port of a URL on this machine; undefined for any other. */
function loopbackPort(url: string): number | undefined {
  const { hostname, port } = new URL(url);
  return hostname === "127.0.0.1" && port !== "" ? Number(port) : undefined;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}

/** Passes lines of the output on and keeps the last few for an error's report. */
function collectLines(child: ChildProcess, onLine: (line: string) => unknown): () => string {
  const kept: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.on("data", (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) {
        kept.push(line);
        if (kept.length > 20) kept.shift();
        onLine(line);
      }
    });
  }
  return () => kept.join("\n");
}
