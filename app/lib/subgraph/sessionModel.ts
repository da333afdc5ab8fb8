/** What the dApp reads of sessions, as it arrives; see model.ts. */
import type { Hex } from "viem";
import type { ValueOf } from "../enumWords.ts";

export const sessionFields = `id payer { id } modelId openedBy signer priceUsd6PerGcums feeBps putInUsd6 minReplicas maxReplicas slaMs
  closesAt status bills executions billedUsd6 paidUsd6 feeUsd6 owedUsd6 returnedUsd6 openedAt openedBlock openedTx lanes { id }`;

export interface SessionRow {
  id: Hex;
  payer: { id: Hex };
  modelId: Hex;
  openedBy: Hex;
  signer: Hex;
  priceUsd6PerGcums: string;
  feeBps: number;
  putInUsd6: string;
  minReplicas: number;
  maxReplicas: number;
  slaMs: string;
  closesAt: string;
  status: ValueOf<"SessionStatus">;
  bills: string;
  executions: string;
  billedUsd6: string;
  paidUsd6: string;
  feeUsd6: string;
  owedUsd6: string;
  returnedUsd6: string;
  openedAt: string;
  openedBlock: string;
  openedTx: Hex;
  lanes: { id: Hex }[];
}

export const laneFields = `id node { id } role status powerCu allotmentUsd6 seq billedUsd6 paidUsd6 feeUsd6 owedUsd6 burnedUsd6`;

export interface LaneRow {
  id: Hex;
  node: { id: string };
  role: ValueOf<"LaneRole">;
  status: ValueOf<"LaneStatus">;
  powerCu: string;
  allotmentUsd6: string;
  /** Records that were billed; the newest has this number. */
  seq: string;
  billedUsd6: string;
  paidUsd6: string;
  feeUsd6: string;
  owedUsd6: string;
  burnedUsd6: string;
}

export const sessionBillFields = `id node { id } seq kind powerCu durationMs priceUsd6PerGcums amountUsd6 receiptsRoot block timestamp tx`;

export interface SessionBillRow {
  id: Hex;
  node: { id: string };
  seq: string;
  kind: ValueOf<"SessionBillKind">;
  powerCu: string;
  durationMs: string;
  priceUsd6PerGcums: string;
  amountUsd6: string;
  receiptsRoot: Hex;
  block: string;
  timestamp: string;
  tx: Hex;
}

export const sessionEventFields = `id kind node { id } amountUsd6 paidUsd6 owedUsd6 firstSeq records fault signer position timestamp tx`;

export interface SessionEventRow {
  id: Hex;
  kind: ValueOf<"SessionEventKind">;
  node: { id: string } | null;
  amountUsd6: string | null;
  paidUsd6: string | null;
  owedUsd6: string | null;
  firstSeq: string | null;
  records: string | null;
  fault: number | null;
  signer: Hex | null;
  position: string;
  timestamp: string;
  tx: Hex;
}

/** A settled voucher with what a bill's line needs of its session. */
export const settledVoucherFields = `id amountUsd6 records timestamp tx node { id } session { id modelId priceUsd6PerGcums }`;

export interface SettledVoucherRow {
  id: Hex;
  amountUsd6: string;
  records: string;
  timestamp: string;
  tx: Hex;
  node: { id: string };
  session: { id: Hex; modelId: Hex; priceUsd6PerGcums: string };
}
