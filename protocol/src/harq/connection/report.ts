/**
 * What the receiver tells: STATUS of every path that has something new, deficits of what is incomplete, verdicts until
 * they are confirmed. All of it is cumulative, so that losing one costs delay alone.
 */
import { deficitBytes, doneBytes, missingBytes, rangeBytes, statusFixedBytes } from "../wire/frameBytes.ts";
import type { DoneFrame, StatusFrame } from "../wire/frames.ts";
import type { Connection } from "./connectionState.ts";
import type { Path } from "./path.ts";
import { replyPath } from "./pathChoice.ts";

const soonestUs = 1_000;
const cadenceUs = 5_000;
const share = 0.03;
const freeBytes = 4_096;
const patientReports = 64;
const slowUs = 1_000_000;

/** When the next STATUS is due; Infinity while there is nothing to tell. */
export function reportDueUs(connection: Connection): number {
  const { report, inbox, paths, counts } = connection;
  const path = replyPath(connection);
  if (path === undefined) return Infinity;
  if (report.isUrgent) return report.lastUs + soonestUs;
  const rttUs = path.roundTrip.smoothedUs();
  const everyUs = Math.max(cadenceUs, rttUs / 8);
  const isCostly = counts.statusBytes > share * counts.receivedBytes + freeBytes;
  if ([...paths.values()].some(({ hasUnreported }) => hasUnreported)) {
    return report.lastUs + (isCostly ? Math.max(everyUs, rttUs / 2) : everyUs);
  }
  if (!inbox.isIncomplete()) return Infinity;
  const idleUs = Math.min(Math.max(cadenceUs, rttUs / 2), everyUs * 2 ** Math.min(8, report.idle));
  return report.lastUs + (report.idle > patientReports ? slowUs : idleUs);
}

/** At most `room` bytes of STATUS frames; deficits go with the last of them. */
export function makeReport(connection: Connection, room: number, nowUs: number): StatusFrame[] {
  const { report, inbox, paths } = connection;
  const told = [...paths.values()].filter(({ hasUnreported, arrivals }) => hasUnreported && arrivals.largest() >= 0);
  const reply = replyPath(connection);
  if (told.length === 0 && reply !== undefined) told.push(reply);
  const chosen = told.slice(0, Math.max(1, Math.floor(room / (4 * statusFixedBytes))));
  const deficitRoom = Math.floor((room - chosen.length * statusFixedBytes) / 2);
  const missing = inbox.missing(Math.floor(deficitRoom / 2 / missingBytes));
  const deficits = inbox.deficits(
    Math.min(255, Math.floor((deficitRoom - missing.length * missingBytes) / deficitBytes)),
  );
  let left = room - missing.length * missingBytes - deficits.length * deficitBytes;
  const frames = chosen.map((path, at) => {
    const isLast = at === chosen.length - 1;
    const share = Math.floor(left / (chosen.length - at));
    const ranges = path.arrivals.ranges(Math.min(255, Math.floor((share - statusFixedBytes) / rangeBytes)));
    left -= statusFixedBytes + ranges.length * rangeBytes;
    const lists = isLast ? { deficits, missing } : { deficits: [], missing: [] };
    return statusOf(path, { credit: inbox.credit(), ranges, ...lists, nowUs });
  });
  report.idle = chosen.some(({ hasUnreported }) => hasUnreported) ? 0 : report.idle + 1;
  report.lastUs = nowUs;
  report.isUrgent = false;
  for (const path of chosen) path.hasUnreported = false;
  return frames;
}

type Told = Pick<StatusFrame, "credit" | "ranges" | "deficits" | "missing"> & { readonly nowUs: number };

function statusOf({ id, arrivals }: Path, { nowUs, ...told }: Told): StatusFrame {
  const ageUs = Math.min(0xffff_ffff, Math.max(0, Math.round(nowUs - arrivals.largestAtUs())));
  return {
    type: "status",
    path: id,
    largest: Math.max(0, arrivals.largest()),
    ageUs,
    received: arrivals.received(),
    ...told,
  };
}

const quickRepeats = 3;

export interface DonesOptions {
  readonly room: number;
  readonly nowUs: number;
  readonly rttUs: number;
  /**
   * A STATUS goes along. It says that all arrived and no longer what is missing: the verdict must not come after it.
   */
  readonly withReport: boolean;
}

/** Verdicts that are due, each repeated after a quarter of a round trip at first, then less and less often. */
export function makeDones(connection: Connection, { room, nowUs, rttUs, withReport }: DonesOptions): DoneFrame[] {
  const { inbox, doneRepeats } = connection;
  for (const message of doneRepeats.keys()) if (!inbox.dones().has(message)) doneRepeats.delete(message);
  const frames: DoneFrame[] = [];
  for (const [message, verdict] of inbox.dones()) {
    if ((frames.length + 1) * doneBytes > room) break;
    const { tries, nextUs } = doneRepeats.get(message) ?? { tries: 0, nextUs: 0 };
    if (nextUs > nowUs && !withReport) continue;
    const waitUs = Math.max(cadenceUs, rttUs / 4) * 2 ** Math.max(0, tries - quickRepeats);
    doneRepeats.set(message, { tries: tries + 1, nextUs: nowUs + Math.min(slowUs, waitUs) });
    frames.push({ type: "done", message, verdict });
  }
  return frames;
}

export function donesDueUs({ inbox, doneRepeats }: Connection): number {
  let dueUs = Infinity;
  for (const message of inbox.dones().keys()) dueUs = Math.min(dueUs, doneRepeats.get(message)?.nextUs ?? 0);
  return dueUs;
}
