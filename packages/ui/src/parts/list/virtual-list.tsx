/**
 * A list of any length: only the rows in view exist. One tab stop; j, k and the arrows move the current row, which
 * has the focus, so that a screen reader reads it. Rows keep their places while live changes come in.
 */
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { usePreferences } from '../../data/preferences.ts';
import { useLayoutEffectWhen, useMemoWhen } from '../../data/when.ts';
import { useText } from '../../i18n/text.tsx';
import styles from './list.module.css';
import { ListRow } from './list-row.tsx';
import type { ListControl } from './use-list-place.ts';

/** One column. */
export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  /** As a track of a CSS grid: `160px`, `minmax(120px, 1fr)`. */
  readonly width: string;
  /** Numbers stand at the end. */
  readonly end?: boolean;
  /** What it shows cuts itself where there is no room, so that its cell need not: each cut takes time to paint. */
  readonly cuts?: boolean;
  cell(row: Row): ReactNode;
}

/** How a list is sorted by a column and what turns that round, or why it cannot be sorted by it. */
export type Sort =
  | { readonly order: 'ascending' | 'descending' | 'none'; readonly hint: string; onSort(): void }
  | { readonly refused: string };

interface VirtualListProps<Row> {
  /** What the list is of, for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** By the ids of columns. */
  readonly sorts?: Readonly<Record<string, Sort>>;
  readonly control: ListControl;
  idOf(row: Row): string;
  nameOf(row: Row): string;
  /** Called for every click, including one on the current row. */
  onPress?(id: string): void;
  onOpen?(id: string): void;
  /** Shows a row beside the list: what the key `o` does, for pointers. */
  onInspect?(id: string): void;
  readonly choosable?: boolean;
  /** The rows are those of the filter before. */
  readonly dimmed?: boolean;
  /** Called when the end comes into view. */
  onEnd?(): void;
  readonly foot?: ReactNode;
}

const CHECK_TRACK = '24px';
/** The head is above the rows and covers those scrolled below it. */
const HEAD = 32;

export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const {
    label,
    rows,
    columns,
    sorts = {},
    control,
    idOf,
    nameOf,
    onPress,
    onOpen,
    onInspect,
    choosable = false,
    dimmed,
    onEnd,
    foot,
  } = props;
  const text = useText();
  const scroll = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  // The rows say when their ids have changed.
  const ids = useMemoWhen(() => rows.map(idOf), [rows]);
  control.setIds(ids);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => ids[index],
    overscan: 6,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
    // The row after the current one is seen too.
    scrollPaddingEnd: rowHeight,
  });
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && rows.length > 0 && lastShown >= rows.length - 10) onEnd();
  }, [onEnd, lastShown, rows.length]);

  const { current, chosen } = control.place;
  const at = current === null ? -1 : ids.indexOf(current);
  const bringIntoView = () => at >= 0 && virtual.scrollToIndex(at, { align: 'auto' });
  useFocusOnCurrent(scroll, current, bringIntoView);
  // A row that was in view stays so when there is less room, as when an inspector opens.
  const room = virtual.scrollRect?.height ?? 0;
  const roomBefore = useRef(room);
  // Only where the room changes.
  useLayoutEffectWhen(() => {
    const below = HEAD + at * rowHeight - (scroll.current?.scrollTop ?? 0);
    if (below >= 0 && below < roomBefore.current) bringIntoView();
    roomBefore.current = room;
  }, [room]);

  const acts = useRef({ control, nameOf, onPress, onOpen, onInspect });
  acts.current = { control, nameOf, onPress, onOpen, onInspect };
  const tracks = [
    ...(choosable ? [CHECK_TRACK] : []),
    ...columns.map(({ width }) => width),
    ...(onInspect ? [CHECK_TRACK] : []),
  ];
  const columnStyle = { '--columns': tracks.join(' ') } as CSSProperties;
  const all = choosable && rows.length > 0 && ids.every((id) => chosen.has(id));
  return (
    <div className={styles.list} data-dimmed={dimmed || undefined} style={columnStyle}>
      <div ref={scroll} className={styles.scroll}>
        <div
          className={styles.inner}
          role="grid"
          aria-label={label}
          aria-rowcount={rows.length + 1}
          aria-multiselectable={choosable || undefined}
          onKeyDown={(event) => {
            const by = {
              ArrowDown: 1,
              ArrowUp: -1,
              PageDown: 20,
              PageUp: -20,
              Home: -Infinity,
              End: Infinity,
            }[event.key];
            const marked = choosable && event.key === ' ' ? current : null;
            if ((event.target as Element).role !== 'row' || (by === undefined && marked === null)) return;
            event.preventDefault();
            if (marked !== null) control.toggle(marked);
            if (by === undefined) return;
            control.step(by === Infinity ? rows.length : by === -Infinity ? -rows.length : by);
          }}
        >
          <div role="rowgroup" className={styles.headGroup}>
            <div className={styles.head} role="row" aria-rowindex={1} tabIndex={-1}>
              {choosable && (
                <span role="columnheader">
                  <label className={styles.check}>
                    <input
                      type="checkbox"
                      aria-label={text('list.chooseAll')}
                      checked={all}
                      onChange={() => control.chooseAll(all ? [] : ids)}
                    />
                  </label>
                </span>
              )}
              {columns.map((column) => (
                <Head key={column.id} column={column} sort={sorts[column.id]} />
              ))}
              {onInspect && <span role="columnheader" aria-label={text('list.inspectColumn')} />}
            </div>
          </div>
          <div role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start, key }) => (
              <ListRow
                key={String(key)}
                row={rows[index]}
                id={ids[index]}
                index={index}
                start={start - HEAD}
                tabStop={at === index || (at < 0 && index === 0)}
                current={at === index}
                chosen={chosen.has(ids[index])}
                inspectable={onInspect !== undefined}
                {...{ columns, choosable, acts }}
              />
            ))}
          </div>
        </div>
        {foot && <div className={styles.foot}>{foot}</div>}
      </div>
    </div>
  );
}

function Head<Row>({ column, sort }: { column: Column<Row>; sort: Sort | undefined }) {
  const { label, end } = column;
  const order = sort && 'order' in sort ? sort.order : undefined;
  const refused = sort && 'refused' in sort ? sort.refused : undefined;
  return (
    <span role="columnheader" className={styles.cell} data-end={end} aria-sort={order}>
      {sort ? (
        <button
          type="button"
          className={styles.sort}
          tabIndex={refused === undefined ? 0 : -1}
          aria-disabled={refused !== undefined || undefined}
          aria-description={'order' in sort ? sort.hint : refused}
          data-hint={'order' in sort ? sort.hint : refused}
          onClick={'order' in sort ? sort.onSort : undefined}
        >
          {label}
          {order === 'ascending' && <IconArrowUp size={12} />}
          {order === 'descending' && <IconArrowDown size={12} />}
        </button>
      ) : (
        label
      )}
    </span>
  );
}

/** The height of rows is the density's, read from the style sheet; drawn again when another is chosen. */
function useRowHeight(): number {
  usePreferences();
  return Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--row'), 10) || 32;
}

/**
 * Moves the focus to the row that became current by a key, as soon as it exists: a distant one renders a
 * moment later.
 */
function useFocusOnCurrent(
  scroll: { readonly current: HTMLElement | null },
  current: string | null,
  bringIntoView: () => void,
): void {
  const bring = useRef(bringIntoView);
  bring.current = bringIntoView;
  const wanted = useRef<string | null>(null);
  const find = (id: string) =>
    scroll.current?.querySelector<HTMLElement>(`[role="row"][data-id="${CSS.escape(id)}"]`);
  // Only another row is brought into view.
  useLayoutEffectWhen(() => {
    wanted.current = null;
    if (current === null || find(current)?.contains(document.activeElement)) return;
    wanted.current = current;
    bring.current();
  }, [current]);
  useLayoutEffect(() => {
    const row = wanted.current === null ? undefined : find(wanted.current);
    if (!row) return;
    wanted.current = null;
    const active = document.activeElement;
    if (active === document.body || scroll.current?.contains(active)) row.focus({ preventScroll: true });
  });
}
