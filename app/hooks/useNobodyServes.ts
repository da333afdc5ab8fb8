"use client";
/** True when the gateway answers and no node that is connected to it serves the model; NOBODY_SERVES says it. */
import { servedBy } from "@ngpu/client/servedBy";
import type { Hex } from "viem";
import { useRoster } from "./useRoster.ts";

export function useNobodyServes(modelId: Hex | undefined): boolean {
  const roster = useRoster();
  if (roster.error !== null || roster.data === undefined || modelId === undefined) return false;
  return servedBy({ roster: roster.data, modelId }) === 0;
}
