/** The instances of a job: what each runs, and the outcome of its last round. */
import { Button } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import section from '../../parts/section.module.css';
import { StateIcon } from '../../parts/state-badge.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import styles from '../jobs/jobs.module.css';
import type { Job } from './job.ts';
import type { JobActions } from './use-job-actions.tsx';

type Instance = Job['instanceList'][number];

export function Instances({ job: { instanceList }, act }: { job: Job; act: JobActions }) {
  const text = useText();
  const mayControl = act.may('switch-shard')?.allowed ?? false;
  if (instanceList.length === 0) return <EmptyState title={text('job.noInstance')} />;
  const deeds = (one: Instance) =>
    [
      { label: text('job.trigger'), what: one.id, run: () => act.trigger(one.id) },
      {
        label: text(one.disabled ? 'job.enable' : 'job.disable'),
        what: text('job.serverOf', { server: one.server }),
        run: () => act.ask(one.disabled ? 'enable' : 'disable', { server: one.server }),
      },
      { label: text('job.stop'), what: one.id, run: () => act.ask('stop', { instance: one.id }) },
    ] as const;
  return (
    <div className={styles.padded}>
      <Table
        label={text('job.tab.instances')}
        rows={instanceList}
        keyOf={({ id }) => id}
        columns={[
          {
            label: text('job.instance'),
            head: true,
            cell: ({ id, isLeader }) => (isLeader ? `${id} ★ ${text('job.leader')}` : id),
          },
          { label: text('job.server'), cell: ({ server, disabled }) => <Server {...{ server, disabled }} /> },
          {
            label: text('job.language'),
            cell: ({ language }) => (language === 'java' ? 'Java' : 'TypeScript'),
          },
          { label: text('jobs.shards'), end: true, cell: ({ shards }) => shards.length },
          { label: text('jobs.running'), end: true, cell: ({ running }) => running.length },
          { label: text('job.since'), cell: ({ since }) => <Time at={since} /> },
          { label: text('job.last'), cell: ({ last }) => last && <Result {...last} /> },
          {
            label: '',
            tight: true,
            cell: (one) => (
              <div className={section.row}>
                {deeds(one).map(({ label, what, run }) => (
                  <Button
                    key={label}
                    size="compact-xs"
                    disabled={!mayControl}
                    aria-label={text('job.deedOf', { deed: label, what })}
                    onClick={run}
                  >
                    {label}
                  </Button>
                ))}
              </div>
            ),
          },
        ]}
      />
      {instanceList.map(({ id, last }) =>
        last?.failed.map(({ shard, error }) => (
          <p key={`${id} ${shard}`} className={styles.note} data-family="failed">
            {text('job.failed', { shard, error })}
          </p>
        )),
      )}
    </div>
  );
}

function Server({ server, disabled }: { server: string; disabled: boolean }) {
  const text = useText();
  return disabled ? (
    <span className={styles.holds}>
      <StateIcon state="disabled" /> {server} ({text('state.disabled')})
    </span>
  ) : (
    server
  );
}

function Result({ at, succeeded, failures }: NonNullable<Instance['last']>) {
  const text = useText();
  return (
    <span className={styles.holds}>
      <StateIcon state={failures > 0 ? 'failed' : 'success'} />
      {text('job.result', { succeeded, failures })} · <Time at={at} />
    </span>
  );
}
