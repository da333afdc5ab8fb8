/** Starts a bad network and processes in it; all of them end with the network, and with this process. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { within } from "../endpoint/within.ts";
import { namespaceVariable } from "./namespaceVariable.ts";
import type { DirectionCounts, ImpairerReport, ImpairerRequest, NetworkConditions } from "./networkConditions.ts";

export type Side = "near" | "far";

export interface Network {
  readonly conditions: NetworkConditions;
  /** A process of its own at that end, told and heard over IPC. */
  start(side: Side, module: URL): ChildProcess;
  /** Of the directions near → far and far → near. */
  counts(): Promise<readonly DirectionCounts[]>;
  close(): Promise<void>;
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const startWithinMs = 20_000;
const countedWithinMs = 20_000;

/** Rejects where namespaces or devices may not be made; what the process said is in the error. */
export async function openNetwork(conditions: NetworkConditions): Promise<Network> {
  const impairer = fork(file("impairer.ts"), { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [] });
  const complaint: Buffer[] = [];
  impairer.stderr?.on("data", (chunk: Buffer) => complaint.push(chunk));
  const { promise, resolve, reject } = Promise.withResolvers<Extract<ImpairerReport, { type: "ready" }>>();
  const waiting = new Map<number, PromiseWithResolvers<readonly DirectionCounts[]>>();
  impairer.on("message", (report: ImpairerReport) => {
    if (report.type === "ready") return resolve(report);
    waiting.get(report.id)?.resolve(report.directions);
    waiting.delete(report.id);
  });
  const end = (): void => {
    const gone = new Error(`no network: ${lastError(Buffer.concat(complaint).toString())}`);
    reject(gone);
    for (const { reject: tell } of waiting.values()) tell(gone);
  };
  impairer.once("exit", end);
  impairer.on("error", end);
  const late = setTimeout(() => reject(new Error("no network: it did not start in time")), startWithinMs);
  impairer.send(conditions);
  const ready = await promise.catch((error: unknown) => {
    impairer.kill("SIGKILL");
    throw error;
  });
  clearTimeout(late);

  const inside: ChildProcess[] = [];
  let ids = 0;
  return {
    conditions,
    start(side, module) {
      const child = fork(fileURLToPath(module), {
        serialization: "advanced",
        execArgv: ["--import", file("joinNetwork.ts")],
        env: { ...process.env, [namespaceVariable]: `/proc/${ready.pid}/fd/${ready[side]}` },
      });
      inside.push(child);
      return child;
    },
    counts() {
      ids += 1;
      const id = ids;
      const request: ImpairerRequest = { type: "counts", id };
      const told = Promise.withResolvers<readonly DirectionCounts[]>();
      waiting.set(id, told);
      impairer.send(request, (error) => error !== null && told.reject(error));
      return within(told.promise, { what: "the network says what it did", withinMs: countedWithinMs });
    },
    async close() {
      await Promise.all([...inside, impairer].map(stop));
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function lastError(said: string): string {
  const line = said.split("\n").find((one) => /^\w*Error/.test(one.trim()));
  return line?.trim() ?? "its process ended";
}
