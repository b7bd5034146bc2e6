/** The settings that all instances of a job share, with the new division of its shards before they are saved. */
import { useMemo, useState } from 'react';
import { useAction, useApi } from '../../data/api.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { linesOf, pairsOf } from '../../model/pairs.ts';
import type { Action } from '../../parts/action-button.tsx';
import { CronPreview } from '../../parts/cron-preview.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Form, type FormField, type FormValues } from '../../parts/form.tsx';
import { notify } from '../../parts/notices.tsx';
import { Section } from '../../parts/section.tsx';
import { Table } from '../../parts/table.tsx';
import styles from '../jobs/jobs.module.css';
import type { Job } from './job.ts';

const flags = ['failover', 'misfire', 'monitorExecution', 'staticSharding'] as const;
const strategies = [
  'average',
  'odevity',
  'rotate',
  'balanced',
  'contiguous',
  'consistent-hash',
  'single-shard-balance',
];

/** Settings as texts of the form. */
function valuesOf(config: Job['config']): Record<string, string> {
  const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));
  return {
    cron: text(config.cron),
    timezone: text(config.timezone),
    shards: text(config.shards),
    strategy: text(config.strategy),
    parameter: text(config.parameter),
    description: text(config.description),
    shardParameters: linesOf((config.shardParameters ?? {}) as Record<string, string>),
    ...Object.fromEntries(flags.map((flag) => [flag, config[flag] === true ? 'true' : ''])),
  };
}

/** The changes in the API's form; null removes a setting. */
function changesOf(before: FormValues, now: FormValues): Record<string, unknown> {
  const changed = Object.entries(now).filter(([name, value]) => value !== before[name]);
  return Object.fromEntries(
    changed.map(([name, value]) => {
      if (flags.some((flag) => flag === name)) return [name, value === 'true'];
      if (name === 'shards') return [name, Number(value)];
      if (name === 'shardParameters') return [name, pairsOf(value).values];
      return [name, value === '' ? null : value];
    }),
  );
}

export function Settings({ job }: { job: Job }) {
  const { text } = useLanguage();
  const { center, name, config, actions } = job;
  const full = `${center}/${name}`;
  const before = useMemo(() => valuesOf(config), [config]);
  const [typed, setTyped] = useState<FormValues>({});
  const values: FormValues = { ...before, ...typed };
  const changes = changesOf(before, values);
  const save = useAction('configureJob', ['showJob', 'listJobs']);
  const may = actions.find((action) => action.name === 'configure-job');
  const isChanged = Object.keys(changes).length > 0;
  const wrong = pairsOf(values.shardParameters).wrong;
  const fields: readonly FormField[] = [
    {
      name: 'cron',
      label: text('jobs.cron'),
      below: values.cron === '' ? undefined : <CronPreview cron={values.cron} zone={values.timezone} />,
    },
    { name: 'timezone', label: text('job.timezone') },
    { name: 'shards', label: text('jobs.shards'), kind: 'number', required: true },
    {
      name: 'strategy',
      label: text('job.strategy'),
      kind: 'select',
      required: true,
      options: [...new Set([...strategies, values.strategy])],
    },
    { name: 'parameter', label: text('job.jobParameter') },
    { name: 'description', label: text('job.description') },
    {
      name: 'shardParameters',
      label: text('job.shardParameters'),
      kind: 'pairs',
      error: wrong,
    },
    { name: 'failover', label: text('job.failover'), kind: 'check' },
    { name: 'misfire', label: text('job.misfire'), kind: 'check' },
    { name: 'monitorExecution', label: text('job.monitor'), kind: 'check' },
    { name: 'staticSharding', label: text('job.static'), kind: 'check' },
  ];
  return (
    <div className={styles.padded}>
      {may?.allowed === false && <Refusal action={may} />}
      <Form
        fields={fields}
        values={values}
        onChange={(change) => setTyped((now) => ({ ...now, ...change }))}
        command={`orrery jobs config ${quoted(full)}${optionsOf(changes)}`}
        error={save.error}
        pending={save.isPending}
        disabled={!isChanged || may?.allowed === false}
        deed={text('job.save')}
        onSubmit={() =>
          save.mutate(
            { center, job: name, body: changes },
            {
              onSuccess: () => {
                setTyped({});
                notify(text('job.saved', { job: full }), 'good');
              },
            },
          )
        }
      >
        {isChanged ? <Division job={job} changes={changes} /> : <p className="dim">{text('job.nothing')}</p>}
      </Form>
    </div>
  );
}

function Refusal({ action }: { action: Action }) {
  const { sentence } = useLanguage();
  return <p className={styles.note}>{sentence(action.reason ?? '', action)}</p>;
}

/** The same as options of the command line. */
function optionsOf(changes: Readonly<Record<string, unknown>>): string {
  return Object.entries(changes)
    .map(([name, value]) => {
      if (value === null) return ` --unset ${name}`;
      const text =
        typeof value === 'object'
          ? Object.entries(value)
              .map((pair) => pair.join('='))
              .join()
          : String(value);
      return ` --set ${quoted(`${name}=${text}`)}`;
    })
    .join('');
}

/** The shards of each instance after the change. */
function Division({ job, changes }: { job: Job; changes: Record<string, unknown> }) {
  const { text } = useLanguage();
  const { center, name } = job;
  const would = useApi('previewJob', { center, job: name, body: changes }, { keep: true });
  if (would.error) return <ErrorPanel error={would.error} />;
  const division = would.data?.division;
  return (
    <Section title={text('job.division')} query={would}>
      {division ? (
        <>
          <p>{text('job.moves', { count: division.moved })}</p>
          <Table
            label={text('job.division')}
            rows={division.instances}
            keyOf={({ id }) => id}
            isCurrent={(row) => row.before !== row.after}
            columns={[
              { label: text('job.instance'), head: true, cell: ({ id }) => id },
              { label: text('job.before'), cell: (row) => row.before || '–' },
              { label: text('job.after'), cell: (row) => row.after || '–' },
            ]}
          />
        </>
      ) : (
        <p>{text('job.ownStrategy')}</p>
      )}
    </Section>
  );
}
