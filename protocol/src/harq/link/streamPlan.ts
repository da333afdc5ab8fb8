/**
 * How many WebSockets a link should have, as a decision without effects:
 *
 *     any time                                                    one, so that there is a way where UDP fails
 *     messages wait and nothing was heard for 3 s                 one more: the network below may have changed
 *     no UDP, and a large message is under way over one that      eight, each a path: what stalls one holds up
 *     stalls, as loss makes it                                    an eighth
 *     nothing large, and nothing silent, for a minute             back to one
 *     nothing was heard for 15 s by whoever waits, or no path     none: the link is given up, and what was asked over
 *     came about for as long                                      it is asked anew
 */
import { mostStripes } from "../codedLink.ts";

export interface StreamsSeen {
  readonly nowUs: number;
  /** WebSockets that are open, and that are being opened. */
  readonly streams: number;
  readonly isUdpUsed: boolean;
  /** Since when UDP could have answered. */
  readonly openedUs: number;
  /** How long nothing was heard while messages waited; what a machine slept is not counted. */
  readonly silentUs: number;
  /** How long there has been no path at all. */
  readonly pathlessUs: number;
  /** Of messages under way, in either direction. */
  readonly underWayBytes: number;
  /** When so much was under way that several paths would help. */
  readonly largeUs: number;
  /** Of all streams, since the large message began. */
  readonly stalls: number;
  /** When a stream was last opened because of silence. */
  readonly rescuedUs: number;
}

/** Fewer than `least` are made more, more than `most` fewer. */
export type StreamPlan = "over" | { readonly least: number; readonly most: number; readonly rescues: boolean };

const givenUpUs = 15_000_000;
export const largeBytes = 65_536;
const rescueUs = 3_000_000;
const udpWithinUs = 500_000;
const calmUs = 60_000_000;

export function planStreams(seen: StreamsSeen): StreamPlan {
  const { nowUs, streams, silentUs, pathlessUs } = seen;
  if (Math.max(silentUs, pathlessUs) >= givenUpUs) return "over";
  const isCalm = nowUs - Math.max(seen.largeUs, seen.rescuedUs) >= calmUs;
  const most = isCalm ? 1 : mostStripes;
  if (silentUs >= rescueUs && nowUs - seen.rescuedUs >= rescueUs) return { least: streams + 1, most, rescues: true };
  const helps = seen.underWayBytes >= largeBytes && seen.stalls > 0;
  const isStriped = helps && !seen.isUdpUsed && nowUs - seen.openedUs >= udpWithinUs;
  return { least: isStriped ? mostStripes : 1, most, rescues: false };
}
