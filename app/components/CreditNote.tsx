"use client";
/** Beside earned money: how much of it cannot be paid out yet, and by when all of it can. */
import type { Address } from "viem";
import { useMaturesBy } from "../hooks/useMaturesBy.ts";
import type { Money } from "../hooks/useMoney.ts";
import { Amount } from "./Amount.tsx";
import { Time } from "./Time.tsx";

export function CreditNote({ account, money }: { account: Address; money: Money | undefined }) {
  const by = useMaturesBy({ account, money });
  if (money === undefined || by === undefined) return "earned by serving, paid out on request";
  return (
    <>
      of it <Amount value={money.immatureUsd6} /> not payable yet, all of it by <Time at={by} />
    </>
  );
}
