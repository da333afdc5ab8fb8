"use client";
/**
 * How far the index is behind the chain, or why it cannot be asked. An RPC that does not answer never raises an alarm
 * about the index.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Meta } from "../lib/subgraph/model.ts";
import { useHead } from "./useHead.ts";
import { useSubgraph } from "./useSubgraph.ts";

export type IndexHealth =
  | { kind: "unknown" }
  | { kind: "current"; block: bigint; lagBlocks: bigint }
  | { kind: "behind"; block: bigint; lagBlocks: bigint; lagS: number | undefined }
  | { kind: "failed" }
  | { kind: "unreachable" };

const toleratedBlocks = 10n;

export function useIndexHealth({ pending = false }: { pending?: boolean } = {}): IndexHealth {
  const head = useHead({ pending });
  const meta = useSubgraph<{ _meta: Meta }>({
    key: "meta",
    query: "{ _meta { block { number timestamp } hasIndexingErrors } }",
    pending,
  });
  if (meta.error instanceof NgpuError) {
    return { kind: meta.error.code === "SUBGRAPH_FAILED" ? "failed" : "unreachable" };
  }
  const found = meta.data?._meta;
  if (found === undefined || found === null) return { kind: "unknown" };
  if (found.hasIndexingErrors) return { kind: "failed" };
  const block = BigInt(found.block.number);
  if (head.data === undefined) return { kind: "current", block, lagBlocks: 0n };
  const lagBlocks = head.data.number > block ? head.data.number - block : 0n;
  if (lagBlocks <= toleratedBlocks) return { kind: "current", block, lagBlocks };
  const { timestamp } = found.block;
  return {
    kind: "behind",
    block,
    lagBlocks,
    lagS: timestamp === null ? undefined : Number(head.data.timestamp) - timestamp,
  };
}
