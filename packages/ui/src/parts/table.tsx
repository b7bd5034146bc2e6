/** A short table that comes whole. Long lists are `VirtualList`'s. */
import type { ReactNode } from 'react';
import styles from './table.module.css';

/** One column. */
export interface TableColumn<Row> {
  readonly label: string;
  /** Numbers stand at the end. */
  readonly end?: boolean;
  /** Whether it takes only the space it needs. */
  readonly tight?: boolean;
  /** Names the row for screen readers. */
  readonly head?: boolean;
  cell(row: Row): ReactNode;
}

interface TableProps<Row> {
  /** What it is of, for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  keyOf(row: Row): string | number;
  /** Whether a row is marked, such as the open one. */
  isCurrent?(row: Row): boolean;
}

export function Table<Row>({ label, rows, columns, keyOf, isCurrent }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and must do so by keyboard too
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map(({ label: head, end, tight }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
              <th key={at} scope="col" data-end={end} data-tight={tight}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-current={isCurrent?.(row) || undefined}>
              {columns.map(({ end, tight, head, cell }, at) => {
                const inside = { 'data-end': end, 'data-tight': tight, children: cell(row) };
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                return head ? <th key={at} scope="row" {...inside} /> : <td key={at} {...inside} />;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
