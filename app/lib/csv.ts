/**
 * Comma-separated values that a spreadsheet cannot mistake for a formula; figures keep every digit and carry no
 * separators.
 */
export function csvOf(table: { head: readonly string[]; rows: readonly (readonly string[])[] }): string {
  return [table.head, ...table.rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

/** A cell that begins like a formula is marked as text, unless it is a plain number. */
export function csvCell(value: string): string {
  const formula = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value);
  const safe = formula ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
