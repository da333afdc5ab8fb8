/**
 * The local index: a Postgres of its own, the little of IPFS that is asked for, and the real graph-node on the built
 * subgraph.
 */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { startGraphNode } from "./graphNode.ts";
import { startIpfsStub } from "./ipfsStub.ts";
import type { StackPorts } from "./ports.ts";
import { startPostgres } from "./postgres.ts";
import type { Supervisor } from "./process/supervisor.ts";
import type { Progress } from "./progress.ts";

export interface LocalIndex {
  /** SIGKILL to graph-node and to Postgres, as a crash is. */
  kill(): Promise<void>;
  /** Starts both anew: a new database, which graph-node fills from the chain. */
  restart(): Promise<void>;
}

export async function startIndex(options: {
  dataDir: string;
  ports: StackPorts;
  rpcUrl: string;
  /** The chain, which graph-node reads as soon as it starts, and the built subgraph. */
  ready: Promise<unknown>;
  supervisor: Supervisor;
  progress: Progress;
}): Promise<LocalIndex> {
  const { dataDir, ports, rpcUrl, ready, supervisor, progress } = options;
  const { logFolder } = supervisor;
  const openStore = () =>
    supervisor.adopt("store", async () => ({
      name: "postgres",
      ...(await startPostgres({
        dataDir: join(dataDir, "postgres"),
        port: ports.postgres,
        onLine: lineLog(logFolder, "postgres"),
      })),
    }));
  const openGraph = (postgresUrl: string, ipfsUrl: string) =>
    supervisor.adopt("graph", async () => ({
      name: "graph-node",
      ...(await startGraphNode({
        rpcUrl,
        postgresUrl,
        ipfsUrl,
        ports: {
          http: ports.graphHttp,
          admin: ports.graphAdmin,
          indexNode: ports.graphIndex,
          metrics: ports.graphMetrics,
        },
        workDir: join(dataDir, "graph-node"),
        onLine: lineLog(logFolder, "graph-node"),
      })),
    }));

  const [firstStore, ipfs] = await Promise.all([
    progress.step("Postgres", openStore),
    supervisor.adopt("store", async () => ({
      name: "ipfs",
      pid: process.pid,
      ...(await startIpfsStub({ port: ports.ipfs })),
    })),
    ready,
  ]);
  let store = firstStore;
  let graph = await progress.step(`subgraph at http://127.0.0.1:${ports.graphHttp}`, () =>
    openGraph(store.url("graph"), ipfs.url),
  );
  if (graph.exposed)
    progress.note("graph-node's ports are open on every interface of this machine: isolating it needs root on Linux");

  return {
    async kill() {
      await Promise.all([supervisor.kill(graph), supervisor.kill(store)]);
    },
    async restart() {
      store = await openStore();
      graph = await openGraph(store.url("graph"), ipfs.url);
    },
  };
}

function lineLog(folder: string, name: string): (line: string) => void {
  const log = createWriteStream(join(folder, `${name}.log`), { flags: "a" });
  return (line) => log.write(`${line}\n`);
}
