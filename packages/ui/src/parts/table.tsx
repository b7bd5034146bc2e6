/**
 * A table of all its rows. Of many rows the first ones are drawn, with a search through all of them; lists without an
 * end are `VirtualList`'s.
 */
import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLanguage } from '../i18n/text.tsx';
import { exact } from '../model/number.ts';
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

/** Further rows on the server. */
interface MoreRows {
  readonly hasNextPage?: boolean;
  readonly isFetchingNextPage?: boolean;
  fetchNextPage?(): unknown;
}

/** What a table shows. */
export interface TableProps<Row> {
  /** What it is of, for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  keyOf(row: Row): string | number;
  /** The text that a search looks in; without it, the key. */
  wordsOf?(row: Row): string;
  /** The query of the rows, if it reads them page by page. */
  readonly more?: MoreRows;
  /** Whether a row is marked, such as the open one. */
  isCurrent?(row: Row): boolean;
}

/** Rows drawn at first, and added with each step. */
const STEP = 100;

export function Table<Row>({
  label,
  rows,
  columns,
  keyOf,
  wordsOf = (row) => String(keyOf(row)),
  more = {},
  isCurrent,
}: TableProps<Row>) {
  const { text, locale } = useLanguage();
  const [sought, setSought] = useState('');
  const [limit, setLimit] = useState(STEP);
  const word = sought.trim().toLowerCase();
  const found = rows.length > STEP ? rows.filter((row) => wordsOf(row).toLowerCase().includes(word)) : rows;
  const shown = found.slice(0, limit);
  const all = `${exact(found.length, locale)}${more.hasNextPage ? '+' : ''}`;
  const showMore = () => {
    setLimit(limit + STEP);
    if (limit + STEP > rows.length && more.hasNextPage) void more.fetchNextPage?.();
  };
  return (
    <>
      {rows.length > STEP && (
        <TextInput
          size="xs"
          className={styles.find}
          aria-label={text('table.findIn', { label })}
          placeholder={text('table.find')}
          value={sought}
          onChange={({ currentTarget }) => setSought(currentTarget.value)}
        />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and must do so by keyboard too */}
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
            {shown.map((row) => (
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
      {(shown.length < found.length || more.hasNextPage) && (
        <p className={styles.more}>
          <Button loading={more.isFetchingNextPage} onClick={showMore}>
            {text('table.more')}
          </Button>{' '}
          <span className="dim" role="status">
            {text('table.shown', { shown: exact(shown.length, locale), all })}
          </span>
        </p>
      )}
    </>
  );
}
