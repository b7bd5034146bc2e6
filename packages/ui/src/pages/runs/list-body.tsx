/** The runs one by one, in each of their states: not there yet, refused, looked for, none, or rows. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Key } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.tsx';
import { isByDuration, type RunsOrder } from '../../model/runs.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { NewPill } from '../../parts/list/new-pill.tsx';
import type { ListControl } from '../../parts/list/use-list-place.ts';
import { type Column, VirtualList } from '../../parts/list/virtual-list.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { type RunRow, useSorts } from './columns.tsx';
import style from './runs.module.css';
import { type Runs, useUnfiltered } from './use-runs.ts';

interface ListBodyProps {
  readonly runs: Runs;
  readonly columns: readonly Column<RunRow>[];
  readonly control: ListControl;
  /** Shown when there is none. */
  readonly nothing: ReactNode;
  onOpen(id: string): void;
  onInspect(id: string): void;
  /** Which runs come first; the newest where it is not given. */
  onOrder(order: RunsOrder): void;
}

/** What a list is called, by which runs come first. */
const listWords = {
  newest: 'runs.list',
  oldest: 'runs.listOldest',
  longest: 'runs.listLongest',
  shortest: 'runs.listShortest',
} as const satisfies Record<string, Key>;

export function ListBody(props: ListBodyProps) {
  const { runs, columns, control, nothing, onOpen, onInspect, onOrder } = props;
  const text = useText();
  const { pages, rows, order, looking, total } = runs;
  const sorts = useSorts(order, total?.more === false, onOrder);
  const looks = looking.state !== 'idle';
  // A refused page is retried only by hand.
  const { refused } = pages;
  const nextPage = () => void pages.fetchNextPage();
  if (pages.error && !pages.data)
    return (
      <>
        <ErrorPanel error={pages.error} retry={() => void pages.refetch()} />
        {isByDuration(order) && (
          <p>
            <Button onClick={() => onOrder(undefined)}>{text('runs.sort.newest')}</Button>
          </p>
        )}
      </>
    );
  if (pages.isPending || (rows.length === 0 && pages.isPlaceholderData)) return <SkeletonRows rows={20} />;
  if (rows.length === 0 && looks)
    return (
      <div className={style.looking}>
        {refused ? <ErrorPanel error={refused} retry={nextPage} /> : <HowFar runs={runs} />}
      </div>
    );
  if (rows.length === 0) return nothing;
  const more = pages.hasNextPage && !pages.isFetchingNextPage && !looks && !refused;
  return (
    <>
      <NewPill count={runs.fresh} onShow={() => void runs.showNew()} />
      <VirtualList
        label={text(listWords[order ?? 'newest'])}
        rows={rows}
        columns={columns}
        sorts={sorts}
        control={control}
        choosable
        dimmed={pages.isPlaceholderData}
        idOf={({ id }) => String(id)}
        nameOf={({ id, name }) => `${name} ${id}`}
        onOpen={onOpen}
        onInspect={onInspect}
        onEnd={more ? nextPage : undefined}
        foot={refused ? <ErrorPanel error={refused} retry={nextPage} /> : looks && <HowFar runs={runs} />}
      />
    </>
  );
}

/** How far a rare run was looked for, and the way to stop or to go on. */
function HowFar({ runs: { rows, order, looking } }: { runs: Runs }) {
  const text = useText();
  const { newest } = useUnfiltered(rows.length === 0);
  const from = rows.at(-1)?.id ?? (order === 'oldest' ? 1 : newest);
  return (
    <>
      <span role="status">
        {from === undefined || looking.end === undefined
          ? text('loading')
          : text('runs.looked', { from: String(from), to: String(looking.end) })}
      </span>
      {looking.state === 'looking' ? (
        <Button onClick={looking.stop}>{text('runs.looked.stop')}</Button>
      ) : (
        <Button onClick={looking.goOn}>{text('runs.looked.goOn')}</Button>
      )}
    </>
  );
}
