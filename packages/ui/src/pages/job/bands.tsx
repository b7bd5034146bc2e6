/** A job of hundreds of shards: a band for each instance. Opening one lists its shards. */
import { useMemo } from 'react';
import { useLanguage } from '../../i18n/text.tsx';
import { exact } from '../../model/number.ts';
import { type Band, bandCells, shardBands } from '../../model/shard-bands.ts';
import { lookOf } from '../../model/state.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, wholeRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import styles from '../jobs/jobs.module.css';
import type { Job } from './job.ts';

/** With more shards or instances than that the bands are shown. */
const MOST_SHARDS = 200;
const MOST_INSTANCES = 12;
const HEIGHT = 16;
const idOf = ({ holder }: Band) => holder ?? '';

/** Whether a job is too large for a table of its shards by instance. */
export function isLarge({ shardList, instanceList }: Job): boolean {
  return shardList.length > MOST_SHARDS || instanceList.length > MOST_INSTANCES;
}

export function Bands({ job, onOpen }: { job: Job; onOpen(sought: string): void }) {
  const { text, locale } = useLanguage();
  const { shardList, instanceList } = job;
  const leader = instanceList.find(({ isLeader }) => isLeader)?.id;
  const bands = useMemo(
    () =>
      shardBands(
        shardList,
        instanceList.map(({ id }) => id),
      ),
    [shardList, instanceList],
  );
  const cells = bandCells(shardList.length);
  const source = wholeRows({ data: job, error: null, refetch: () => {} }, bands, String(shardList.length));
  const list = useList(source, { idOf, onOpen: ({ holder }) => onOpen(holder ?? 'unassigned') });
  const nameOf = ({ holder, isLive }: Band) => {
    if (holder === null) return text('job.noOwner');
    if (!isLive) return `${text('job.lost')}: ${holder}`;
    return holder === leader ? `★ ${holder}` : holder;
  };
  const columns: readonly Column<Band>[] = [
    {
      id: 'instance',
      label: text('job.instance'),
      width: 'minmax(128px, 1fr)',
      cell: (band) => <CutName name={nameOf(band)} />,
    },
    ...(['count', 'running', 'stuck'] as const).map(
      (field): Column<Band> => ({
        id: field,
        label: text(({ count: 'jobs.shards', running: 'jobs.running', stuck: 'job.stuck' } as const)[field]),
        width: '80px',
        end: true,
        cell: (band) => (
          <span
            className={styles.count}
            data-family={field === 'stuck' && band.stuck > 0 ? 'failed' : undefined}
          >
            {exact(band[field], locale)}
          </span>
        ),
      }),
    ),
    {
      id: 'band',
      label: text('job.band', { last: shardList.length - 1 }),
      width: 'minmax(160px, 4fr)',
      cell: ({ parts }) => (
        <svg
          className={styles.band}
          viewBox={`0 0 ${cells} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {parts.map(({ state, from, to }) => (
            <path
              key={from}
              data-family={lookOf(state).family}
              d={`M${from} 0H${to}V${HEIGHT}H${from}Z`}
              fill="currentColor"
            />
          ))}
        </svg>
      ),
    },
  ];
  return (
    <ListBody
      list={list}
      label={text('job.bands')}
      columns={columns}
      nameOf={nameOf}
      empty={text('job.noOwner')}
    />
  );
}
