/** Why something cannot be done with a session now, as its contract would refuse it; undefined when it can. */
import { formatDateTime } from "../format.ts";
import type { SessionPhase } from "./sessionPhase.ts";

interface Asked {
  phase: SessionPhase;
  /** The connected account is the session's payer. */
  isPayer: boolean;
}

const onlyPayer = "Only the payer of this session may do this.";

function whyNotOpen({ phase, isPayer }: Asked): string | undefined {
  if (phase === "finished") return "It is finished.";
  if (phase !== "open") return "It has closed.";
  return isPayer ? undefined : onlyPayer;
}

export const whyNotClose = whyNotOpen;

export function whyNotTopUp(
  asked: Asked & { amountUsd6: bigint | undefined; reachableUsd6: bigint | undefined },
): string | undefined {
  const { amountUsd6, reachableUsd6 } = asked;
  const closed = whyNotOpen(asked);
  if (closed !== undefined) return closed;
  if (amountUsd6 === undefined || amountUsd6 === 0n) return "Enter an amount.";
  if (reachableUsd6 === undefined) return "The contract is asked what you have.";
  return amountUsd6 > reachableUsd6 ? "That is more than your balance and your wallet hold." : undefined;
}

export function whyNotReplace(
  asked: Asked & { signer: string; current: string; formerUntil: bigint; nowS: bigint },
): string | undefined {
  const { signer, current, formerUntil, nowS } = asked;
  const closed = whyNotOpen(asked);
  if (closed !== undefined) return closed;
  if (formerUntil > nowS)
    return `A signer was replaced lately; its vouchers count until ${formatDateTime(formerUntil)}.`;
  if (!/^0x[0-9a-f]{40}$/i.test(signer) || /^0x0{40}$/.test(signer)) return "Enter the address of the new signer.";
  return signer.toLowerCase() === current.toLowerCase() ? "That is the signer already." : undefined;
}

export function whyNotReclaim(lane: { reclaimableAt: bigint; nowS: bigint }): string | undefined {
  const { reclaimableAt, nowS } = lane;
  return nowS < reclaimableAt ? `Vouchers of it may be settled until ${formatDateTime(reclaimableAt)}.` : undefined;
}

export function whyNotFinish(asked: {
  phase: SessionPhase;
  settleUntil: bigint;
  lanesLeft: number;
}): string | undefined {
  const { phase, settleUntil, lanesLeft } = asked;
  if (phase === "finished") return "It is finished; its rest went back to the payer.";
  if (phase !== "over") return `Vouchers may be settled until ${formatDateTime(settleUntil)}.`;
  if (lanesLeft === 0) return undefined;
  return lanesLeft === 1 ? "Its lane must be reclaimed first." : `Its ${lanesLeft} lanes must be reclaimed first.`;
}
