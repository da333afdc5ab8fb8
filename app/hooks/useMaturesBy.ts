"use client";
/** Chain time by which all of an account's credit can be paid out; undefined while nothing of it is immature. */
import type { Address } from "viem";
import { maturesBy } from "../lib/maturity.ts";
import { useHead } from "./useHead.ts";
import type { Money } from "./useMoney.ts";
import { useSubgraph } from "./useSubgraph.ts";

const query = `query CreditedAt($id: ID!) { account(id: $id) { creditedAt } }`;

export function useMaturesBy(options: { account: Address; money: Money | undefined }): number | undefined {
  const { account, money } = options;
  const isMaturing = money !== undefined && money.immatureUsd6 > 0n;
  const nowS = useHead().data?.timestamp;
  const found = useSubgraph<{ account: { creditedAt: string | null } | null }>({
    key: "creditedAt",
    query,
    variables: { id: account.toLowerCase() },
    enabled: isMaturing,
  }).data?.account?.creditedAt;
  if (!isMaturing || nowS === undefined) return undefined;
  const { maturitySeconds } = money;
  return maturesBy({ maturitySeconds, nowS, creditedAtS: found == null ? undefined : BigInt(found) });
}
