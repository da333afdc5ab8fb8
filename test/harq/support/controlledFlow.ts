/**
 * A flow of datagrams without end that a controller rules: the real book of packets, reports and pace of a path, with
 * nothing in the datagrams. For experiments too long for a whole connection.
 */
import type { CongestionController, ControllerOptions } from "@ngpu/protocol/harq/congestion/controller";
import { createConnection } from "@ngpu/protocol/harq/connection";
import { onFates } from "@ngpu/protocol/harq/connection/fates";
import { openPath } from "@ngpu/protocol/harq/connection/openPath";
import { hasWindow, pace, stampOf } from "@ngpu/protocol/harq/connection/path";
import { noContent } from "@ngpu/protocol/harq/connection/transmit";
import { createArrivalBook } from "@ngpu/protocol/harq/estimate/arrivalBook";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import type { Bottleneck } from "./bottleneck.ts";
import type { EventQueue } from "./eventQueue.ts";
import type { LossModel } from "./lossyLink.ts";
import { createPlainProtection } from "./plainProtection.ts";
import { createHasher } from "./world.ts";

export interface ControlledFlow {
  deliveredBytes(): number;
}

export interface ControlledFlowOptions {
  readonly queue: EventQueue;
  readonly bottleneck: Bottleneck;
  readonly rttUs: number;
  readonly createController: (options: ControllerOptions) => CongestionController;
  /** Both of datagrams and of reports. */
  readonly loss?: LossModel;
  readonly startUs?: number;
  /** What the application has to send a second; without end where it is not given. */
  readonly offeredBytesPerSecond?: number;
  /** How long after its time either end does what is due, as a process does that is not alone on its machine. */
  readonly lateUs?: () => number;
}

const packetBytes = 1_200;
const codec = createErasureCodec();

export function createControlledFlow(options: ControlledFlowOptions): ControlledFlow {
  const { queue, bottleneck, rttUs, createController, loss, startUs = 0 } = options;
  const { offeredBytesPerSecond = Infinity, lateUs = () => 0 } = options;
  const connection = createConnection({
    codec,
    createHasher,
    protection: createPlainProtection(1n),
    createController: (_, controllerOptions) => createController(controllerOptions),
    randomBytes: (count) => new Uint8Array(count),
  });
  const path = openPath(connection, { path: 0, kind: "datagram", isOurs: true, rttUs }, startUs);
  const arrivals = createArrivalBook();
  const everyUs = Math.max(5_000, rttUs / 8);
  let deliveredBytes = 0;
  let sentBytes = 0;
  let reportAtUs = -Infinity;
  let wakeAtUs = Infinity;

  const report = (): void => {
    const nowUs = queue.nowUs();
    const ageUs = Math.round(nowUs - arrivals.largestAtUs());
    const lists = { credit: 0, deficits: [], missing: [] };
    const told = { largest: arrivals.largest(), ageUs, received: arrivals.received(), ranges: arrivals.ranges(200) };
    if (loss?.(nowUs) === true) return;
    queue.at(nowUs + rttUs / 2, () => {
      onFates(connection, path, { type: "status", path: 0, ...told, ...lists }, queue.nowUs());
      pump();
    });
  };
  const arrive = (number: number): void => {
    const nowUs = queue.nowUs();
    arrivals.add(number, nowUs);
    deliveredBytes += packetBytes;
    if (reportAtUs > nowUs) return;
    reportAtUs = Math.max(nowUs, reportAtUs + everyUs);
    const isDue = reportAtUs <= nowUs;
    if (isDue) reportAtUs = nowUs;
    const late = lateUs();
    if (isDue && late === 0) report();
    else queue.at(reportAtUs + late, report);
  };
  const send = (): void => {
    const nowUs = queue.nowUs();
    const number = path.nextNumber++;
    const stamp = stampOf(path, { number, bytes: packetBytes, nowUs });
    path.book.record({ stamp, content: noContent });
    path.askedUs = nowUs;
    path.controller.onSent(stamp, path.book.inFlightBytes());
    pace(path, packetBytes, nowUs);
    sentBytes += packetBytes;
    const leavesUs = bottleneck.pass(packetBytes);
    if (leavesUs === undefined || loss?.(nowUs) === true) return;
    queue.at(leavesUs + rttUs / 2, () => arrive(number));
  };
  const pump = (): void => {
    const nowUs = queue.nowUs();
    const offered = (): number =>
      offeredBytesPerSecond === Infinity ? Infinity : ((nowUs - startUs) / 1e6) * offeredBytesPerSecond;
    const maySend = (): boolean => sentBytes + packetBytes <= offered();
    while (path.releaseUs <= nowUs && hasWindow(path, packetBytes, nowUs) && maySend()) send();
    path.isPaced = path.releaseUs > nowUs;
    const patienceUs = 1.25 * path.roundTrip.smoothedUs() + 20_000;
    if (path.book.inFlightBytes() > 0 && nowUs >= path.askedUs + patienceUs) send();
    let dueUs = path.askedUs + patienceUs;
    if (hasWindow(path, packetBytes, nowUs)) {
      if (!maySend()) path.appLimitedUntilBytes = path.deliveredBytes + path.book.inFlightBytes() + 1;
      dueUs = Math.min(dueUs, maySend() ? path.releaseUs : nowUs + (packetBytes * 1e6) / offeredBytesPerSecond);
    }
    wake(Math.max(dueUs, nowUs + 250));
  };
  const wake = (dueUs: number): void => {
    if (dueUs >= wakeAtUs && wakeAtUs > queue.nowUs()) return;
    wakeAtUs = dueUs;
    queue.at(dueUs + lateUs(), () => {
      if (wakeAtUs !== dueUs) return;
      wakeAtUs = Infinity;
      pump();
    });
  };
  queue.at(startUs, pump);
  return { deliveredBytes: () => deliveredBytes };
}
