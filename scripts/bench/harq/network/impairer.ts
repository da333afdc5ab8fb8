/**
 * A process that is a bad network: two network namespaces of its own, a device in each, and what goes from one to the
 * other queued, slowed, lost and delayed on the way. The namespaces have no name and nothing outside of them is
 * changed: they and all that is in them are gone with the last process in them, however it ends; this one ends with
 * its parent. Processes join by `/proc/<pid>/fd/<number>`.
 */
import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { seededRandom } from "../../failover/seededRandom.ts";
import { createImpairedLink, type ImpairedLink } from "./impairedLink.ts";
import type { ImpairerReport, ImpairerRequest, NetworkConditions } from "./networkConditions.ts";
import { createPacketRing, type PacketRing } from "./packetRing.ts";
import { constants, system } from "./system.ts";
import { openTunDevice } from "./tunDevice.ts";

interface Direction {
  readonly from: number;
  readonly to: number;
  readonly link: ImpairedLink;
  readonly ring: PacketRing;
  refused: number;
  delivered: number;
  lateUs: number;
  latestUs: number;
}

const ringPackets = 32_768;
const batchPackets = 64;
/** The timer is not set finer than this: what is due within it leaves together. */
const grainUs = 50;
/** The timer is set to ring so much early at most, and what is left is waited for without sleeping … */
const earlyUs = 200;
/** … for at most this share of the time, so that traffic without a pause does not take a core. */
const spinShare = 0.1;
const version4 = 4;

const nowUs = (): number => performance.now() * 1_000;

system.prctl(constants.deathSignal, constants.kill);
process.on("disconnect", () => process.exit());
process.once("message", (conditions: NetworkConditions) => run(conditions));

function run(conditions: NetworkConditions): void {
  tryPriority();
  const near = enterNewNamespace(conditions.near, conditions.far);
  const far = enterNewNamespace(conditions.far, conditions.near);
  const random = [1, 2].map((salt) => seededRandom(conditions.seed * 2 + salt));
  const direction = (from: number, to: number, at: number): Direction => ({
    from,
    to,
    link: createImpairedLink({ ...conditions, ...(at === 0 ? {} : conditions.back) }, random[at] ?? Math.random),
    ring: createPacketRing(ringPackets),
    refused: 0,
    delivered: 0,
    lateUs: 0,
    latestUs: 0,
  });
  const directions = [direction(near.device, far.device, 0), direction(far.device, near.device, 1)];
  const timer = createTimer(() => turn());
  const spin = createSpin();
  for (const one of directions) {
    system.whenReadable(one.from, () => {
      takeIn(one);
      turn();
    });
  }
  const turn = (): void => {
    let nextUs = letOutAll();
    while (spin.until(nextUs)) nextUs = letOutAll();
    timer.set(nextUs);
  };
  /** Returns when the next is due. */
  const letOutAll = (): number => {
    let nextUs = Infinity;
    for (const one of directions) {
      letOut(one);
      nextUs = Math.min(nextUs, one.ring.nextUs());
    }
    return nextUs;
  };
  const tell = (report: ImpairerReport): void => void process.send?.(report);
  process.on("message", (request: ImpairerRequest) => {
    if (request.type === "counts") tell({ type: "counts", id: request.id, directions: directions.map(countsOf) });
  });
  tell({ type: "ready", pid: process.pid, near: near.namespace, far: far.namespace });
}

/** Returns the descriptors of the namespace, in which the calling thread stays, and of its device. */
function enterNewNamespace(address: string, peer: string): { namespace: number; device: number } {
  system.unshare(constants.newNetwork);
  const namespace = system.open("/proc/thread-self/ns/net", constants.readOnly | constants.closeOnExec);
  for (const [name, value] of settings) writeFileSync(`/proc/sys/net/${name}`, value);
  return { namespace, device: openTunDevice({ name: "path0", address, peer }).fd };
}

/** Of the namespace alone: each connection is the first, and nothing but the bench speaks. */
const settings = [
  ["ipv4/tcp_no_metrics_save", "1"],
  ["ipv6/conf/all/disable_ipv6", "1"],
  ["ipv6/conf/default/disable_ipv6", "1"],
] as const;

function takeIn(direction: Direction): void {
  const { from, link, ring } = direction;
  for (let count = 0; count < batchPackets; count++) {
    const slot = ring.slot() ?? spare;
    const length = system.readNow(from, slot, slot.length);
    if (length <= 0) return;
    if ((slot[0] ?? 0) >> 4 !== version4) continue;
    if (slot === spare) {
      direction.refused += 1;
      continue;
    }
    const dueUs = link.arrive(length, nowUs());
    if (dueUs !== undefined) ring.push(length, dueUs);
  }
}

const spare = new Uint8Array(2_048);

function letOut(direction: Direction): void {
  const { to, ring } = direction;
  for (let dueUs = ring.nextUs(); dueUs <= nowUs(); dueUs = ring.nextUs()) {
    const packet = ring.shift();
    const lateUs = nowUs() - dueUs;
    direction.lateUs += lateUs;
    direction.latestUs = Math.max(direction.latestUs, lateUs);
    if (system.writeNow(to, packet, packet.length) < 0) direction.refused += 1;
    else direction.delivered += 1;
  }
}

/** Waits for what is due in a moment; what was not used of the share is kept for a hundredth of a second. */
function createSpin(): { until(dueUs: number): boolean } {
  let leftUs = 0;
  let filledUs = nowUs();
  return {
    until(dueUs) {
      const fromUs = nowUs();
      leftUs = Math.min(10_000 * spinShare, leftUs + (fromUs - filledUs) * spinShare);
      filledUs = fromUs;
      const waitUs = dueUs - fromUs;
      if (waitUs > earlyUs || waitUs > leftUs) return false;
      leftUs -= Math.max(0, waitUs);
      while (nowUs() < dueUs);
      return true;
    },
  };
}

/** Rings before the time that is set by as much as it was late on average, within `earlyUs`. */
function createTimer(call: () => void): { set(dueUs: number): void } {
  const fd = system.timerfdCreate(constants.monotonic, constants.nonBlocking | constants.closeOnExec);
  const expirations = new Uint8Array(8);
  const value = new DataView(new ArrayBuffer(32));
  const bytes = new Uint8Array(value.buffer);
  let setUs = Infinity;
  let ringsUs = Infinity;
  let meanLateUs = earlyUs / 2;
  system.whenReadable(fd, () => {
    system.readNow(fd, expirations, expirations.length);
    if (ringsUs !== Infinity) meanLateUs += (Math.min(earlyUs, nowUs() - ringsUs) - meanLateUs) / 16;
    setUs = Infinity;
    ringsUs = Infinity;
    call();
  });
  return {
    set(dueUs) {
      if (dueUs === Infinity || Math.abs(dueUs - setUs) < grainUs) return;
      setUs = dueUs;
      const inUs = Math.max(grainUs, dueUs - Math.max(grainUs, meanLateUs) - nowUs());
      ringsUs = nowUs() + inUs;
      const inNs = inUs * 1_000;
      value.setBigInt64(16, BigInt(Math.floor(inNs / 1e9)), true);
      value.setBigInt64(24, BigInt(Math.floor(inNs % 1e9)), true);
      system.timerfdSettime(fd, 0, bytes, null);
    },
  };
}

function countsOf({ link, delivered, refused, lateUs, latestUs }: Direction) {
  return { ...link.counts, delivered, refused, meanLateUs: lateUs / Math.max(1, delivered), latestUs };
}

/** A link does not get slower because its machine is busy with something else; where it may not be, it runs as it is. */
function tryPriority(): void {
  for (const attempt of [beforeAllOthers, () => setPriority(-15)]) {
    try {
      return attempt();
    } catch {
      continue;
    }
  }
}

function beforeAllOthers(): void {
  const priority = new Uint8Array(4);
  priority[0] = 1;
  system.schedSetscheduler(0, constants.roundRobin, priority);
}
