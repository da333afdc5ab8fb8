/**
 * What the dApp reads from the subgraph, as it arrives: numbers are decimal text, hashes lower-case hex. Each list of
 * fields and the type beside it belong together.
 */
import type { Hex } from "viem";

export type TaskState = "Posted" | "Assigned" | "Accepted" | "Settled" | "Refunded" | "Cancelled";

interface Ref {
  id: string;
}

export const billFields = `id attempt powerCu durationMs priceUsd6PerGcums amountUsd6 refundUsd6 startMs timestamp block tx modelId node { id }`;

export interface BillRow {
  id: Hex;
  attempt: number;
  powerCu: string;
  durationMs: string;
  priceUsd6PerGcums: string;
  amountUsd6: string;
  refundUsd6: string;
  startMs: string;
  timestamp: string;
  block: string;
  tx: Hex;
  modelId: Hex;
  node: Ref;
}

export const taskFields = `id modelId status workCums priceUsd6PerGcums maxAmountUsd6 deadline backups assignment amountUsd6 refundUsd6
  refundReason postedAt postedTx settledAt settledBlock settledTx refundedAt refundedBlock refundedTx primaryFailure backupFailure
  payer { id } primary { id } backup { id } bill { ${billFields} }`;

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
  primaryFailure: string | null;
  backupFailure: string | null;
  payer: { id: Hex };
  primary: Ref | null;
  backup: Ref | null;
  bill: BillRow | null;
}

export const nodeFields = `id owner operator payout powerCu draining stakedWei thawingWei unlockAt tasksAssigned tasksAccepted tasksServed
  tasksFailed earnedUsd6 servedCums registeredAt registeredTx lastBilledAt nodeClass { id name minimumPowerCu minimumStakeWei enabled }`;

export interface NodeRow {
  id: string;
  owner: Hex;
  operator: Hex;
  payout: Hex;
  powerCu: string;
  draining: boolean;
  stakedWei: string;
  thawingWei: string;
  unlockAt: string | null;
  tasksAssigned: string;
  tasksAccepted: string;
  tasksServed: string;
  tasksFailed: string;
  earnedUsd6: string;
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

export interface StakeEventRow {
  id: Hex;
  kind: "Deposited" | "ExitBegun" | "ExitCancelled" | "Withdrawn";
  amountWei: string;
  stakedWei: string;
  timestamp: string;
  tx: Hex;
}

export interface Meta {
  block: { number: number; timestamp: number | null };
  hasIndexingErrors: boolean;
}
