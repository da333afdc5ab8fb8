"use client";
/**
 * Forgets everything that was read when the chain begins anew under an open page, as a local chain does after a
 * restart. A reorganisation undoes a few blocks; this many means another chain.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useHead } from "./useHead.ts";

const undoneBlocks = 16n;

/** True once it happened while this page was open. */
export function useChainReset(): boolean {
  const queries = useQueryClient();
  const number = useHead().data?.number;
  const highest = useRef(0n);
  const [happened, setHappened] = useState(false);
  useEffect(() => {
    if (number === undefined) return;
    const isAnew = number + undoneBlocks < highest.current;
    highest.current = isAnew || number > highest.current ? number : highest.current;
    if (!isAnew) return;
    setHappened(true);
    void queries.resetQueries();
  }, [number, queries]);
  return happened;
}
