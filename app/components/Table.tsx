/** A plain table: figures right, the first column left; on a phone each row becomes a small labelled block. */
import type { ReactNode } from "react";
import styles from "./Table.module.css";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  figure?: boolean;
}

export function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  foot?: ReactNode;
}) {
  const { caption, columns, rows, keyOf, foot } = props;
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, figure }) => (
              <th key={title} scope="col" className={figure === true ? styles.figure : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, figure }) => (
                <td key={title} data-title={title} className={figure === true ? styles.figure : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot === undefined ? null : <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}
