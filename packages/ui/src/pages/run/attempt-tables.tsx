/** Every attempt of a task run, and every shard, each with the way to its log. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from '../../app/link.tsx';
import type { AnswerOf } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { size as sizeText } from '../../model/number.ts';
import { shardState } from '../../model/shards.ts';
import { duration } from '../../model/time.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Duration, Time } from '../../parts/time.tsx';
import { logAddress } from './log-address.ts';
import style from './run.module.css';

/** Attempts that are shown at once; the last ones first, since they are why one looks. */
const PAGE = 50;

/** All attempts, oldest first. */
export function Attempts({
  attempts,
}: {
  attempts: readonly AnswerOf<'listAttempts'>['attempts'][number][];
}) {
  const { text, units, locale } = useLanguage();
  const [shown, setShown] = useState(PAGE);
  const earlier = Math.max(0, attempts.length - shown);
  if (attempts.length === 0) return <p className="dim">{text('task.noAttempts')}</p>;
  const heads = [
    'task.attempt',
    'run.column.state',
    'task.worker',
    'run.column.since',
    'task.ran',
    'task.exit',
    'task.cpu',
    'task.memory',
    'task.error',
  ] as const;
  return (
    <div className={style.scroll}>
      {earlier > 0 && (
        <Button size="compact-xs" onClick={() => setShown(shown + PAGE)}>
          {text('task.earlierAttempts', { count: earlier })}
        </Button>
      )}
      <table className={style.table}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {text(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attempts.slice(earlier).map((attempt) => {
            const from = attempt.startedAt ?? attempt.assignedAt;
            return (
              <tr key={attempt.id}>
                <td>
                  <Link to={logAddress(taskRunOf(attempt.id), attempt)}>
                    {attempt.shard === null ? attempt.number : `${attempt.shard} · ${attempt.number}`}
                  </Link>
                </td>
                <td>
                  <StateBadge state={attempt.state} />
                </td>
                <td>{attempt.worker ?? '–'}</td>
                <td>{from !== null && <Time at={from} />}</td>
                <td>{from !== null && <Duration from={from} to={attempt.endedAt} />}</td>
                <td>{attempt.exitCode ?? ''}</td>
                <td>{attempt.cpuTime === null ? '' : duration(attempt.cpuTime, units)}</td>
                <td>{attempt.peakMemory === null ? '' : sizeText(attempt.peakMemory, locale)}</td>
                <td>
                  {attempt.error}
                  {attempt.late && <span className="dim"> {text('task.late')}</span>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** All shards as they stand. */
export function Shards({ detail }: { detail: AnswerOf<'showTaskRun'> }) {
  const { text } = useLanguage();
  if (detail.shardRuns.length === 0) return <p className="dim">{text('task.noShards')}</p>;
  return (
    <div className={style.scroll}>
      <table className={style.table}>
        <thead>
          <tr>
            {(
              ['task.shardColumn', 'run.column.state', 'task.attempt', 'task.worker', 'task.error'] as const
            ).map((head) => (
              <th key={head} scope="col">
                {text(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {detail.shardRuns.map(({ shard, state, attempt, worker, error }) => (
            <tr key={shard}>
              <td>
                {attempt > 0 ? (
                  <Link to={logAddress(detail.id, { shard, number: attempt, state })}>{shard}</Link>
                ) : (
                  shard
                )}
              </td>
              <td>
                <StateBadge state={shardState(state)} />
              </td>
              <td>{attempt}</td>
              <td>{worker ?? '–'}</td>
              <td>{error}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function taskRunOf(attempt: string): string {
  return attempt.replace(/(?::\d+)?\.\d+$/, '');
}
