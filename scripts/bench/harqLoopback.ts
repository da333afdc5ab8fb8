/**
 * `npm run bench:harq-loopback -- --json`: how many packets a second the data path carries on loopback, sealed, with
 * real congestion control, from one thread to another of the same process; and how late the product's own event loop is
 * meanwhile. `packets` is by the clock, and so what the machine's other work leaves of it; `packets_cpu` is what the
 * busier of the two threads carries in a second of its CPU time, as on a machine with a core for each.
 */
import { randomBytes } from "node:crypto";
import os from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { median } from "@ngpu/protocol/selection/median";
import { systemClock } from "@ngpu/protocol/service/clock";
import { startDataPath, type DataPath } from "@ngpu/protocol/service/harq/worker/dataPath";
import type { WorkerLink } from "@ngpu/protocol/service/harq/worker/workerLink";

interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly n: number;
  readonly target?: number;
  readonly isMet?: boolean;
}

const messageBytes = 48_000_000;
const turns = 7;
/** The data path tells its counts ten times a second. */
const countsMs = 250;

const near = startDataPath();
const far = startDataPath();
const [nearLink, farLink] = await connect(near, far);
farLink.onPiece(() => undefined);
farLink.onMessage(() => undefined);
const message = new Uint8Array(randomBytes(messageBytes));
await nearLink.send(message);

const speeds: number[] = [];
const delays: number[] = [];
const sending: number[] = [];
const receiving: number[] = [];
const possible: number[] = [];
for (let turn = 0; turn < turns; turn++) {
  const { packets, seconds, delayMs, nearUs, farUs } = await measure(nearLink);
  speeds.push(packets / seconds);
  delays.push(delayMs);
  sending.push(nearUs / packets);
  receiving.push(farUs / packets);
  possible.push((1e6 * packets) / Math.max(nearUs, farUs));
}
await nearLink.close();
await Promise.all([near.close(), far.close()]);
print([
  row("packets", "1/s", speeds, { target: 35_000, isLeast: true }),
  row("event_loop_delay_p99", "ms", delays, { target: 20, isLeast: false }),
  row("packets_cpu", "1/CPU s", possible, { target: 35_000, isLeast: true }),
  row("sending", "µs CPU/packet", sending),
  row("receiving", "µs CPU/packet", receiving),
]);

async function connect(one: DataPath, other: DataPath): Promise<[WorkerLink, WorkerLink]> {
  const secret = () => ({ secret: new Uint8Array(randomBytes(32)), connectionId: randomBytes(8).readBigUInt64BE() });
  const [there, back] = [secret(), secret()];
  const [nearSocket, farSocket] = await Promise.all([one.openUdpSocket(), other.openUdpSocket()]);
  const nearLink = one.createLink({ keys: { send: there, receive: back } });
  const farLink = other.createLink({ keys: { send: back, receive: there } });
  farLink.acceptPath({ id: 1, path: farSocket.createPath({ connectionId: there.connectionId }) });
  const path = nearSocket.createPath({ connectionId: back.connectionId, remote: farSocket.address });
  nearLink.openPath({ id: 1, path, rttUs: 1_000 });
  return [nearLink, farLink];
}

/** From the first byte that is read to be sent until the receiver has said that all of it arrived. */
async function measure(link: WorkerLink) {
  await systemClock.sleep(countsMs);
  const packetsBefore = link.metrics().sentPackets;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let beganMs = 0;
  const [nearBefore, farBefore] = [near.cpuUs(), far.cpuUs()];
  delay.enable();
  const onProgress = (): void => {
    if (beganMs === 0) beganMs = performance.now();
  };
  const outcome = await link.send(message, { onProgress });
  const seconds = (performance.now() - beganMs) / 1_000;
  delay.disable();
  if (outcome !== "good") throw new Error(`the message ended as ${outcome}`);
  await systemClock.sleep(countsMs);
  return {
    packets: link.metrics().sentPackets - packetsBefore,
    seconds,
    delayMs: delay.percentile(99) / 1e6,
    nearUs: near.cpuUs() - nearBefore,
    farUs: far.cpuUs() - farBefore,
  };
}

function row(
  name: string,
  unit: string,
  values: readonly number[],
  goal?: { readonly target: number; readonly isLeast: boolean },
): Row {
  const value = rounded(median(values));
  const [min, max] = [rounded(Math.min(...values)), rounded(Math.max(...values))];
  const told = { name, value, unit, min, max, n: values.length };
  if (goal === undefined) return told;
  return { ...told, target: goal.target, isMet: goal.isLeast ? value >= goal.target : value < goal.target };
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

function print(rows: readonly Row[]): void {
  if (process.argv.includes("--json")) {
    const cpus = os.cpus();
    const machine = { cpu: cpus[0]?.model.trim(), cores: cpus.length, node: process.version, load: os.loadavg()[0] };
    process.stdout.write(`${JSON.stringify({ bench: "harq-loopback", machine, rows })}\n`);
    return;
  }
  for (const { name, value, unit, min, max, n, target, isMet } of rows) {
    const goal = target === undefined ? "" : `, target ${target}: ${isMet === true ? "met" : "missed"}`;
    process.stdout.write(`${name.padEnd(22)} ${value} ${unit} (${min}–${max}, n = ${n}${goal})\n`);
  }
}
