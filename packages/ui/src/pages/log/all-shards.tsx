/** The logs of all shards one after another: the end of each, those that failed first. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from '../../app/link.tsx';
import { useLanguage } from '../../i18n/text.tsx';
import { byUrgency, type ShardRun } from '../../model/shard-runs.ts';
import { shardState } from '../../model/shards.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { logAddress } from '../run/log-address.ts';
import { LogTail } from '../run/log-tail.tsx';
import style from './log.module.css';

/** Shards that are shown at once: each of them is read. */
const PAGE = 10;

interface AllShardsProps {
  readonly id: string;
  readonly shards: readonly (ShardRun & { readonly shard: number })[];
}

export function AllShards({ id, shards }: AllShardsProps) {
  const { text } = useLanguage();
  const [count, setCount] = useState(PAGE);
  const sorted = byUrgency(shards);
  return (
    <div className={style.sections}>
      {sorted.slice(0, count).map(({ shard, state, attempt }) => (
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
            <LogTail attempt={`${id}:${shard}.${attempt}`} />
          ) : (
            <p className="dim">{text('log.neverTried')}</p>
          )}
        </section>
      ))}
      {sorted.length > count && (
        <Button onClick={() => setCount(count + PAGE)}>
          {text('log.moreShards', { count: sorted.length - count })}
        </Button>
      )}
    </div>
  );
}
