/**
 * The logs of all shards, of each its end: one log by time where their lines carry times, else one after another, those
 * that failed first.
 */
import { Button, SegmentedControl } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { taskRunAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { formatQuery } from '../../app/search-fields.ts';
import { useMemoWhen } from '../../data/when.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { mergedByTime } from '../../model/log-merge.ts';
import { byUrgency, type ShardRun } from '../../model/shard-runs.ts';
import { shardState } from '../../model/shards.ts';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { logAddress } from '../run/log-address.ts';
import { LogTail } from '../run/log-tail.tsx';
import { TAIL_LINES, tailQuery } from '../run/tail-query.ts';
import style from './log.module.css';
import type { ShardOrder } from './log-search.ts';
import { ShardsByTime } from './shards-by-time.tsx';

/** Shards that are shown at once: each of them is read. */
const PAGE = 10;

interface AllShardsProps {
  readonly id: string;
  readonly shards: readonly (ShardRun & { readonly shard: number })[];
  readonly order: ShardOrder;
  readonly onOrder: (order: ShardOrder) => void;
}

export function AllShards({ id, shards, order, onOrder }: AllShardsProps) {
  const { text } = useLanguage();
  const [count, setCount] = useState(PAGE);
  const sorted = byUrgency(shards);
  const shown = sorted.slice(0, count);
  const { merged, reading } = useMerged(id, shown);
  const more = sorted.length > count && (
    <Button onClick={() => setCount(count + PAGE)}>
      {text('log.moreShards', { count: sorted.length - count })}
    </Button>
  );
  // Which of the two views to show is known once all logs are read.
  if (reading) return <SkeletonRows />;
  const attemptOf = new Map(shown.map(({ shard, attempt }) => [shard, attempt]));
  return (
    <div className={style.page}>
      {merged && (
        <div className={style.bar}>
          <SegmentedControl
            size="xs"
            aria-label={text('log.order')}
            value={order}
            onChange={(next) => onOrder(next as ShardOrder)}
            data={[
              { value: 'time', label: text('log.byTime') },
              { value: 'shard', label: text('log.byShard') },
            ]}
          />
          {order === 'time' && (
            <>
              <span className="dim">
                {text('log.mergedEnds', { lines: TAIL_LINES, count: shown.length })}
              </span>
              {more}
            </>
          )}
        </div>
      )}
      {merged && order === 'time' ? (
        <ShardsByTime
          lines={merged}
          addressOf={({ shard, number }) =>
            `${taskRunAddress(id)}${formatQuery({ attempt: attemptOf.get(shard), shard, line: number })}`
          }
        />
      ) : (
        <div className={style.sections}>
          {shown.map(({ shard, state, attempt }) => (
            <section key={shard} className={style.section} aria-label={text('log.shardLog', { shard })}>
              <h2 className={style.sectionHead}>
                <StateBadge state={shardState(state)} />
                {attempt > 0 ? (
                  <Link to={logAddress(id, { shard, number: attempt, state })}>
                    {text('log.shardLog', { shard })}
                  </Link>
                ) : (
                  text('log.shardLog', { shard })
                )}
                {attempt > 0 && <span className="dim">{text('log.attemptNumber', { number: attempt })}</span>}
              </h2>
              {attempt > 0 ? (
                <LogTail attempt={attemptId(id, { shard, attempt })} />
              ) : (
                <p className="dim">{text('log.neverTried')}</p>
              )}
            </section>
          ))}
          {more}
        </div>
      )}
    </div>
  );
}

interface ShardAttempt {
  readonly shard: number;
  readonly attempt: number;
}

function attemptId(id: string, { shard, attempt }: ShardAttempt): string {
  return `${id}:${shard}.${attempt}`;
}

/** The lines of these shards by time; undefined where that cannot be, also because the log of one was not to be had. */
function useMerged(id: string, shards: readonly ShardAttempt[]) {
  const tried = shards.filter(({ attempt }) => attempt > 0);
  const tails = useQueries({ queries: tried.map((shard) => tailQuery(attemptId(id, shard))) });
  const lost = tails.some(({ data, error }) => error !== null || (data && data.loss !== null));
  const logs = tails.flatMap(({ data }, k) => (data ? [{ ...data, shard: tried[k].shard }] : []));
  const read = JSON.stringify([tried, tails.map(({ dataUpdatedAt }) => dataUpdatedAt)]);
  // The lines change only with another reading.
  const merged = useMemoWhen(() => mergedByTime(logs.toSorted((a, b) => a.shard - b.shard)), [read]);
  // Later shards, from another attempt or a larger page, join the shown ones.
  const settled = useRef(false);
  settled.current ||= tails.every(({ isPending }) => !isPending);
  return { merged: lost ? undefined : merged, reading: !settled.current };
}
