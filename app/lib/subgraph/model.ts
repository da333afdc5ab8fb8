/**
 * What the dApp reads from the subgraph, as it arrives: numbers are decimal text, hashes lower-case hex. Each list of
 * fields and the type beside it belong together.
 */
import type { Hex } from "viem";
import type { ValueOf } from "../enumWords.ts";

export type TaskState = ValueOf<"TaskStatus">;

interface Ref {
  id: string;
}

export const billFields = `id attempt powerCu durationMs priceUsd6PerGcums amountUsd6 standbyUsd6 totalUsd6 refundUsd6 state startMs timestamp
  block tx modelId node { id } standby { amountUsd6 node { id } }`;

export interface BillRow {
  id: Hex;
  attempt: number;
  powerCu: string;
  durationMs: string;
  priceUsd6PerGcums: string;
  amountUsd6: string;
  standbyUsd6: string;
  /** Amount and standby; the standby alone once the bill is forfeited. */
  totalUsd6: string;
  refundUsd6: string;
  state: ValueOf<"BillState">;
  startMs: string;
  timestamp: string;
  block: string;
  tx: Hex;
  modelId: Hex;
  node: Ref;
  standby: { amountUsd6: string; node: Ref }[];
}

export const taskFields = `id modelId status workCums priceUsd6PerGcums maxAmountUsd6 deadline backups assignment amountUsd6 refundUsd6
  refundReason postedAt postedTx settledAt settledBlock settledTx refundedAt refundedBlock refundedTx payer { id }
  seats(orderBy: index) { node { id } } demand { bondUsd6 }
  bill { ${billFields} }`;

export interface TaskRow {
  id: Hex;
  modelId: Hex;
  status: TaskState;
  workCums: string;
  priceUsd6PerGcums: string;
  maxAmountUsd6: string;
  deadline: string;
  backups: number;
  assignment: number;
  amountUsd6: string | null;
  refundUsd6: string | null;
  refundReason: "Expired" | "Failed" | "Cancelled" | null;
  postedAt: string;
  postedTx: Hex;
  settledAt: string | null;
  settledBlock: string | null;
  settledTx: Hex | null;
  refundedAt: string | null;
  refundedBlock: string | null;
  refundedTx: Hex | null;
  payer: { id: Hex };
  /** Of the newest assignment; the first executes first. */
  seats: { node: Ref }[];
  demand: { bondUsd6: string } | null;
  bill: BillRow | null;
}

export const nodeFields = `id owner operator payout powerCu draining stakedWei thawingWei suspendedUntil scoreCu tasksAssigned tasksAccepted
  tasksServed tasksForfeited tasksStandby tasksFailed earnedUsd6 standbyUsd6 servedCums registeredAt registeredTx lastBilledAt nodeClass { id name minimumPowerCu minimumStakeWei enabled }`;

export interface NodeRow {
  id: string;
  owner: Hex;
  operator: Hex;
  payout: Hex;
  powerCu: string;
  draining: boolean;
  stakedWei: string;
  thawingWei: string;
  /** Chain time in seconds; 0 if no fault ever kept it out. */
  suspendedUntil: string;
  /** Power that keepers measured; null before the first time. */
  scoreCu: string | null;
  tasksAssigned: string;
  tasksAccepted: string;
  tasksServed: string;
  tasksForfeited: string;
  tasksStandby: string;
  tasksFailed: string;
  /** Bills and standby, forfeited bills not included. */
  earnedUsd6: string;
  standbyUsd6: string;
  servedCums: string;
  registeredAt: string;
  registeredTx: Hex;
  lastBilledAt: string | null;
  nodeClass: NodeClassRow;
}

export interface NodeClassRow {
  id: string;
  name: string;
  minimumPowerCu: string;
  minimumStakeWei: string;
  enabled: boolean;
}

export interface NetworkRow {
  nodes: string;
  tasks: string;
  tasksPosted: string;
  tasksAssigned: string;
  tasksAccepted: string;
  tasksSettled: string;
  tasksRefunded: string;
  tasksCancelled: string;
  settledUsd6: string;
  settledCums: string;
  reservedUsd6: string;
  stakedWei: string;
}

export const stakeEventFields = `id kind amountWei stakedWei timestamp tx`;

export interface StakeEventRow {
  id: Hex;
  kind: ValueOf<"StakeEventKind">;
  amountWei: string;
  stakedWei: string;
  timestamp: string;
  tx: Hex;
}

export const slashFields = `id status reason evidence slashedWei compensationWei burnedWei payableAt slashedAt slashedTx endedAt endedTx`;

export interface SlashRow {
  id: string;
  status: ValueOf<"SlashStatus">;
  reason: Hex;
  evidence: Hex;
  slashedWei: string;
  compensationWei: string;
  /** Null until it is finished. */
  burnedWei: string | null;
  payableAt: string;
  slashedAt: string;
  slashedTx: Hex;
  endedAt: string | null;
  endedTx: Hex | null;
}

export const disputeFields = `id faultId opener stage ruling outcome deadline slashedWei timestamp tx`;

export interface DisputeRow {
  id: Hex;
  faultId: Hex;
  opener: Hex;
  stage: ValueOf<"DisputeStage">;
  ruling: ValueOf<"DisputeOutcome"> | null;
  outcome: ValueOf<"DisputeOutcome"> | null;
  deadline: string;
  slashedWei: string;
  timestamp: string;
  tx: Hex;
}

export interface Meta {
  block: { number: number; timestamp: number | null };
  hasIndexingErrors: boolean;
}
