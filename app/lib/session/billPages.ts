/**
 * Pages of a lane's records by their numbers, the newest first. A page holds fixed numbers, so that records that arrive
 * meanwhile move no row.
 */
export interface BillPage {
  /** From 1, the oldest, to `pages`. */
  page: number;
  pages: number;
  firstSeq: bigint;
  lastSeq: bigint;
}

export const billsPerPage = 50n;

/** `asked` is a page that was chosen; the newest without one. */
export function billPage({ records, asked }: { records: bigint; asked: number | undefined }): BillPage {
  const pages = Math.max(1, Number((records + billsPerPage - 1n) / billsPerPage));
  const page = Math.min(pages, Math.max(1, asked ?? pages));
  const lastSeq = BigInt(page) * billsPerPage;
  return { page, pages, firstSeq: lastSeq - billsPerPage + 1n, lastSeq: lastSeq < records ? lastSeq : records };
}
