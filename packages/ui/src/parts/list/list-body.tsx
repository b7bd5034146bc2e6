/** A list in its present state: loading, refused, empty, filtered to nothing, or with rows. */
import type { ReactNode } from 'react';
import { ErrorPanel } from '../error-panel.tsx';
import type { FilterField } from '../filter-bar.tsx';
import { SkeletonRows } from '../skeleton.tsx';
import { FilteredEmpty } from './filtered-empty.tsx';
import styles from './list.module.css';
import { NewPill } from './new-pill.tsx';
import type { List } from './use-list.ts';
import { type Column, VirtualList } from './virtual-list.tsx';

interface ListBodyProps<Row> {
  readonly list: List<Row>;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  nameOf(row: Row): string;
  /** Shown where there is nothing at all. */
  readonly empty: ReactNode;
  /** Filters that are set, and how they are dropped. */
  readonly set?: readonly FilterField[];
  onDrop?(names: readonly string[]): void;
  /** Below the rows: what can be done with those that are selected. */
  readonly bulk?: ReactNode;
}

export function ListBody<Row>({
  list,
  label,
  columns,
  nameOf,
  empty,
  set = [],
  onDrop = () => {},
  bulk,
}: ListBodyProps<Row>) {
  const { source, rows, control, onOpen, onInspect } = list;
  const { all, error, stale, refused, retry, more } = source;
  if (error) return <ErrorPanel error={error} retry={retry} />;
  if (!all || (stale && rows.length === 0)) return <SkeletonRows />;
  if (rows.length === 0 && list.waiting === 0)
    return set.length > 0 ? <FilteredEmpty filters={set} onDrop={onDrop} /> : empty;
  return (
    <div className={styles.held}>
      <NewPill count={list.waiting} onShow={list.showNew} />
      <VirtualList
        label={label}
        rows={rows}
        columns={columns}
        control={control}
        idOf={list.idOf}
        nameOf={nameOf}
        onOpen={onOpen && list.open}
        onInspect={onInspect && list.inspect}
        choosable={list.choosable}
        dimmed={stale}
        onEnd={more}
        foot={refused && <ErrorPanel error={refused} retry={retry} />}
      />
      {bulk}
    </div>
  );
}
