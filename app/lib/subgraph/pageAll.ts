/**
 * Reads a whole list from the subgraph, page by page along the ids, all of it as of one block: no row is lost or read
 * twice, however long the list is and whatever is mined meanwhile. When that block is undone the list is begun anew.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Hex } from "viem";
import { querySubgraph } from "./querySubgraph.ts";

const pageSize = 1_000;
const mostAttempts = 3;

export interface PagesRequest {
  url: string;
  /**
   * A query with the variables `$first: Int!`, `$after: Bytes!` (or `ID!`) and `$block: Block_height` that asks for
   * `list` ordered by id and for `_meta { block { hash } }`, both at that block.
   */
  query: string;
  list: string;
  variables?: Record<string, string | number | string[]>;
  signal?: AbortSignal;
  /** Smallest cursor; ids of bytes begin with 0x. */
  start?: string;
}

export async function pageAll<Row extends { id: string }>(request: PagesRequest): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pagesOfOneBlock<Row>(request);
    } catch (error) {
      const undone = error instanceof NgpuError && error.code === "SUBGRAPH_REORGANISED";
      if (!undone || attempt === mostAttempts) throw error;
    }
  }
}

async function pagesOfOneBlock<Row extends { id: string }>(request: PagesRequest): Promise<Row[]> {
  const { url, query, list, variables, signal, start = "0x" } = request;
  const rows: Row[] = [];
  let block: { hash: Hex } | null = null;
  for (let after = start; ; ) {
    const page: Partial<Record<string, Row[]>> & { _meta?: { block: { hash: Hex } } } = await querySubgraph({
      url,
      query,
      variables: { ...variables, first: pageSize, after, block },
      ...(signal === undefined ? {} : { signal }),
    });
    const found = page[list] ?? [];
    rows.push(...found);
    const last = found.at(-1);
    if (last === undefined || found.length < pageSize) return rows;
    after = last.id;
    block ??= page._meta === undefined ? null : { hash: page._meta.block.hash };
  }
}
