/**
 * The shards of a job by instance: the owner and the runner of each. Owner, runner and failover are separate
 * facts.
 */
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { isShardSought } from '../../model/shard-bands.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, wholeRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { StateBadge, StateIcon } from '../../parts/state-badge.tsx';
import styles from '../jobs/jobs.module.css';
import { Bands, isLarge } from './bands.tsx';
import { Heat } from './heat.tsx';
import type { Job } from './job.ts';
import type { JobActions } from './use-job-actions.tsx';

type Shard = Job['shardList'][number];

/** With more instances than that there is one column for the owner and one for the runner. */
const MOST_COLUMNS = 12;
const idOf = ({ shard }: Shard) => String(shard);

export function Shards({ job, act }: { job: Job; act: JobActions }) {
  const text = useText();
  const [sought, setSought] = useState('');
  const [view, setView] = useState<'now' | 'heat'>('now');
  const input = useRef<HTMLInputElement>(null);
  useKeys([{ keys: '/', label: text('job.find'), run: () => input.current?.focus() }]);
  return (
    <div className={styles.tab}>
      <div className={styles.find}>
        <TextInput
          ref={input}
          size="xs"
          aria-label={text('job.find')}
          placeholder={text('job.find')}
          value={sought}
          onChange={({ currentTarget }) => setSought(currentTarget.value.trim())}
        />
        {isLarge(job) && job.isRecorded && (
          <SegmentedControl
            size="xs"
            aria-label={text('job.view')}
            value={view}
            onChange={(next) => setView(next as 'now' | 'heat')}
            data={[
              { value: 'now', label: text('job.view.now') },
              { value: 'heat', label: text('job.view.heat') },
            ]}
          />
        )}
      </div>
      {view === 'heat' && isLarge(job) && job.isRecorded ? (
        <Heat
          job={job}
          sought={sought}
          onOpen={(shard) => {
            setView('now');
            setSought(shard);
          }}
        />
      ) : sought === '' && isLarge(job) ? (
        <Bands job={job} onOpen={setSought} />
      ) : (
        <ShardTable job={job} act={act} sought={sought} />
      )}
    </div>
  );
}

function ShardTable({ job, act, sought }: { job: Job; act: JobActions; sought: string }) {
  const text = useText();
  const { shardList, instanceList } = job;
  const all = useMemo(() => shardList.filter((shard) => isShardSought(shard, sought)), [shardList, sought]);
  const source = wholeRows({ data: job, error: null, refetch: () => {} }, all, `${job.shards} ${sought}`);
  const verbOf = ({ state }: Shard) => (state === 'disabled' ? 'enable' : 'disable');
  const ask = (row: Shard) => act.ask(verbOf(row), { shard: row.shard });
  const mayControl = act.may('switch-shard')?.allowed ?? false;
  const list = useList(source, { idOf, onOpen: mayControl ? ask : undefined });
  const columns: readonly Column<Shard>[] = [
    { id: 'shard', label: text('job.shard'), width: '56px', end: true, cell: ({ shard }) => shard },
    {
      id: 'parameter',
      label: text('job.parameter'),
      width: 'minmax(96px, 1fr)',
      cell: ({ parameter }) => (parameter === '' ? '–' : <CutName name={parameter} />),
    },
    {
      id: 'state',
      label: text('job.state'),
      width: '128px',
      cell: ({ state }) => <StateBadge state={state} />,
    },
    ...(instanceList.length > MOST_COLUMNS
      ? ownerColumns(text('job.owner'), text('job.runner'), text('job.noOwner'))
      : instanceList.map(
          ({ id, isLeader }): Column<Shard> => ({
            id,
            label: `${isLeader ? '★ ' : ''}${id}`,
            width: 'minmax(128px, 1fr)',
            cell: (row) => <Held by={id} shard={row} />,
          }),
        )),
    ...(shardList.some(({ owner }) => owner !== null && instanceList.every(({ id }) => id !== owner)) &&
    instanceList.length <= MOST_COLUMNS
      ? [
          {
            id: 'gone',
            label: text('job.lost'),
            width: 'minmax(128px, 1fr)',
            cell: ({ owner }: Shard) =>
              owner !== null && instanceList.every(({ id }) => id !== owner) ? <CutName name={owner} /> : '',
          },
        ]
      : []),
    {
      id: 'deed',
      label: '',
      width: '96px',
      cell: (row) => (
        <Button
          size="compact-xs"
          tabIndex={-1}
          disabled={!mayControl}
          aria-label={text('job.deedOf', {
            deed: text(`job.${verbOf(row)}`),
            what: text('job.shardOf', { shard: row.shard }),
          })}
          onClick={() => ask(row)}
        >
          {text(`job.${verbOf(row)}`)}
        </Button>
      ),
    },
  ];
  return (
    <ListBody
      list={list}
      label={text('job.tab.shards')}
      columns={columns}
      nameOf={({ shard }) => text('job.shardOf', { shard })}
      empty={<EmptyState title="–" />}
    />
  );
}

/** What an instance is to a shard. */
function Held({ by, shard: { owner, runner } }: { by: string; shard: Shard }) {
  const text = useText();
  if (runner === by)
    return (
      <span className={styles.holds}>
        <StateIcon state="running" />
        {text(owner === by ? 'job.runs' : 'job.takenOver')}
      </span>
    );
  if (owner !== by) return <span className="dim">·</span>;
  return (
    <span className={styles.holds}>
      <StateIcon state="ready" />
      {text('job.owns')}
    </span>
  );
}

function ownerColumns(owner: string, runner: string, nobody: string): Column<Shard>[] {
  return [
    {
      id: 'owner',
      label: owner,
      width: 'minmax(128px, 1fr)',
      cell: (row) => (row.owner === null ? nobody : <CutName name={row.owner} />),
    },
    {
      id: 'runner',
      label: runner,
      width: 'minmax(128px, 1fr)',
      cell: (row) => (row.runner === null ? '–' : <CutName name={row.runner} />),
    },
  ];
}
