"use client";
/**
 * Forgets everything that was read when the chain begins anew under an open page, as a local chain does after a
 * restart: its first block is then another one. A chain that has lost more blocks than any reorganisation undoes counts
 * as well.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Hash } from "viem";
import { useHead } from "./useHead.ts";

const undoneBlocks = 16n;

/** True once it happened while this page was open. */
export function useChainReset(): boolean {
  const queries = useQueryClient();
  const head = useHead().data;
  const known = useRef<{ highest: bigint; genesis: Hash | undefined }>({ highest: 0n, genesis: undefined });
  const [happened, setHappened] = useState(false);
  useEffect(() => {
    if (head === undefined) return;
    const { number, genesis } = head;
    const { highest, genesis: first = genesis } = known.current;
    const isAnew = genesis !== first || number + undoneBlocks < highest;
    known.current = { highest: isAnew || number > highest ? number : highest, genesis };
    if (!isAnew) return;
    setHappened(true);
    void queries.resetQueries();
  }, [head, queries]);
  return happened;
}
