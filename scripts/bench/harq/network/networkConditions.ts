/** What a bad network is asked to be, and what is said to and by the process that is it. */
import type { LinkConditions, LinkCounts } from "./impairedLink.ts";

export interface NetworkConditions extends LinkConditions {
  /** Addresses of the two ends. */
  readonly near: string;
  readonly far: string;
  readonly seed: number;
  /** What is different from far to near. */
  readonly back?: Partial<LinkConditions>;
}

export type ImpairerRequest = { readonly type: "counts"; readonly id: number };

export interface DirectionCounts extends LinkCounts {
  delivered: number;
  /** Not taken because the process or the kernel had no room: the network was not what it was asked to be. */
  refused: number;
  /** How long after their time packets were let out. */
  meanLateUs: number;
  latestUs: number;
}

export type ImpairerReport =
  | { readonly type: "ready"; readonly pid: number; readonly near: number; readonly far: number }
  | { readonly type: "counts"; readonly id: number; readonly directions: readonly DirectionCounts[] };
