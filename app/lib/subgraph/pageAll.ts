/**
 * Reads a whole list from the subgraph, page by page along the ids: no row is lost or read twice, however long the
 * list is.
 */
import { querySubgraph } from "./querySubgraph.ts";

const pageSize = 1_000;

export async function pageAll<Row extends { id: string }>(request: {
  url: string;
  /** A query with the variables `$first: Int!` and `$after: Bytes!` (or `ID!`) that asks for `list` ordered by id. */
  query: string;
  list: string;
  variables?: Record<string, string | number | string[]>;
  signal?: AbortSignal;
  /** Smallest cursor; ids of bytes begin with 0x. */
  start?: string;
}): Promise<Row[]> {
  const { url, query, list, variables, signal, start = "0x" } = request;
  const rows: Row[] = [];
  for (let after = start; ; ) {
    const page = await querySubgraph<Record<string, Row[]>>({
      url,
      query,
      variables: { ...variables, first: pageSize, after },
      ...(signal === undefined ? {} : { signal }),
    });
    const found = page[list] ?? [];
    rows.push(...found);
    const last = found.at(-1);
    if (last === undefined || found.length < pageSize) return rows;
    after = last.id;
  }
}
