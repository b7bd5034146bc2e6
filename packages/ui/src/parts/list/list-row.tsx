/**
 * One row of a list. It renders again only if it changes: scrolling renders only the rows that come into
 * view.
 */
import { IconLayoutSidebarRight } from '@tabler/icons-react';
import { memo } from 'react';
import { useText } from '../../i18n/text.tsx';
import styles from './list.module.css';
import type { ListControl } from './use-list-place.ts';
import type { Column } from './virtual-list.tsx';

/** What a row calls its own and does. */
interface RowActs<Row> {
  readonly control: ListControl;
  nameOf(row: Row): string;
  onPress?(id: string): void;
  onOpen?(id: string): void;
  onInspect?(id: string): void;
}

interface ListRowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly index: number;
  readonly start: number;
  readonly tabStop: boolean;
  readonly current: boolean;
  readonly chosen: boolean;
  readonly columns: readonly Column<Row>[];
  readonly choosable: boolean;
  readonly inspectable: boolean;
  /** Looked up when something is done, so that other functions of a page draw no row again. */
  readonly acts: { readonly current: RowActs<Row> };
}

function PlainRow<Row>(props: ListRowProps<Row>) {
  const { row, id, index, start, tabStop, current, chosen, columns, choosable, inspectable, acts } = props;
  const text = useText();
  return (
    <div
      className={styles.row}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={choosable ? chosen : undefined}
      data-id={id}
      data-current={current || undefined}
      tabIndex={tabStop ? 0 : -1}
      style={{ top: start }}
      onFocus={(event) => {
        if (event.target === event.currentTarget) acts.current.control.goTo(id);
      }}
      onDoubleClick={() => acts.current.onOpen?.(id)}
      onClick={() => {
        acts.current.control.goTo(id);
        acts.current.onPress?.(id);
      }}
      onKeyDown={() => {}}
    >
      {choosable && (
        <span role="gridcell">
          <label className={styles.check}>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={text('list.choose', { name: acts.current.nameOf(row) })}
              checked={chosen}
              onChange={(event) => {
                const { extend, toggle } = acts.current.control;
                (event.nativeEvent as MouseEvent).shiftKey ? extend(id) : toggle(id);
              }}
            />
          </label>
        </span>
      )}
      {columns.map((column) => (
        <span
          key={column.id}
          role="gridcell"
          className={styles.cell}
          data-end={column.end}
          data-cuts={column.cuts}
        >
          {column.cell(row)}
        </span>
      ))}
      {inspectable && (
        <span role="gridcell">
          <button
            type="button"
            className={styles.inspect}
            tabIndex={-1}
            aria-label={text('list.inspect', { name: acts.current.nameOf(row) })}
            data-hint="o"
            onClick={() => acts.current.onInspect?.(id)}
          >
            {inspectIcon}
          </button>
        </span>
      )}
    </div>
  );
}

const inspectIcon = <IconLayoutSidebarRight size={14} />;

/** A row of a list, the same element while it is in view. */
export const ListRow = memo(PlainRow) as typeof PlainRow;
