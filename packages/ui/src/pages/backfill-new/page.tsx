/** A new backfill: a range or a list of business times, and before anything starts, what would run. */
import { useState } from 'react';
import { useGo } from '../../app/link.tsx';
import { type SearchField, textField } from '../../app/search-fields.ts';
import { useSearch } from '../../app/use-search.ts';
import { useAction, useApi } from '../../data/api.ts';
import type { InputOf } from '../../data/client.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { exact } from '../../model/number.ts';
import { pairsOf } from '../../model/pairs.ts';
import { duration } from '../../model/time.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Form, type FormField, type FormValues } from '../../parts/form.tsx';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import style from '../backfill/backfill.module.css';

const names = [
  'workflow',
  'from',
  'to',
  'times',
  'schedule',
  'cron',
  'parallel',
  'order',
  'onFailure',
  'downstream',
  'latest',
  'priority',
  'params',
] as const;

type Name = (typeof names)[number];

const fields = Object.fromEntries(names.map((name) => [name, textField(5_000)])) as Record<
  Name,
  SearchField<string>
>;

const priorities = ['highest', 'high', 'medium', 'low', 'lowest'];

type Body = InputOf<'startBackfill'>['body'];

export function Page() {
  const { text, locale, units } = useLanguage();
  const go = useGo();
  const [values, setSearch] = useSearch(fields);
  const [touched, setTouched] = useState(false);
  const { workflow = '' } = values;
  const known = useApi(
    'listWorkflows',
    { q: workflow || undefined, limit: 20, include: ['strip', 'next'] },
    { keep: true },
  );
  const row = known.data?.workflows.find(({ project, name }) => `${project}/${name}` === workflow);
  const pairs = pairsOf(values.params ?? '');
  const times = (values.times ?? '').split(/[\s,]+/).filter(Boolean);
  const parallel = Number(values.parallel ?? 1);
  const body: Body = {
    workflow,
    params: pairs.values,
    ...(times.length > 0
      ? { times }
      : { from: values.from, to: values.to, schedule: values.schedule, cron: values.cron }),
    order: (values.order ?? 'oldest') as 'oldest',
    parallel,
    onFailure: (values.onFailure ?? 'continue') as 'continue',
    includeDownstream: values.downstream === 'true',
    version: values.latest === 'true' ? 'latest' : 'start',
    ...(values.priority ? { priority: values.priority as 'high' } : {}),
    trigger: 'manual',
  };
  const ready =
    workflow !== '' &&
    pairs.wrong === undefined &&
    parallel >= 1 &&
    (times.length > 0 || (values.from !== undefined && values.to !== undefined));
  const tried = useApi('startBackfill', ready ? { body: { ...body, dryRun: true } } : null, { keep: true });
  const start = useAction('startBackfill', ['listRuns']);
  const usual = row?.strip?.p50;
  const form: readonly FormField[] = [
    {
      name: 'workflow',
      label: text('schedules.workflow'),
      required: true,
      placeholder: 'etl/daily-orders',
      below: !row && known.data && workflow !== '' && (
        <span className="dim">
          {text('backfill.near', {
            names: known.data.workflows
              .slice(0, 6)
              .map(({ project, name }) => `${project}/${name}`)
              .join(', '),
          })}
        </span>
      ),
    },
    { name: 'from', label: text('backfill.from'), placeholder: '2026-01-01' },
    { name: 'to', label: text('backfill.to'), placeholder: '2026-01-31' },
    {
      name: 'schedule',
      label: text('schedules.schedule'),
      kind: 'select',
      options: row?.schedules?.map(({ name }) => name) ?? (values.schedule ? [values.schedule] : []),
      hint: text('backfill.scheduleHint'),
    },
    { name: 'cron', label: text('backfill.cron'), placeholder: '0 2 * * *' },
    { name: 'parallel', label: text('backfill.parallel'), kind: 'number', placeholder: '1' },
    {
      name: 'order',
      label: text('backfill.order'),
      kind: 'select',
      options: [
        { value: 'oldest', label: text('backfill.oldest') },
        { value: 'newest', label: text('backfill.newest') },
      ],
    },
    {
      name: 'onFailure',
      label: text('backfill.onFailure'),
      kind: 'select',
      options: [
        { value: 'continue', label: text('backfill.continue') },
        { value: 'stop', label: text('backfill.stop') },
      ],
    },
    { name: 'priority', label: text('start.priority'), kind: 'select', options: priorities },
    { name: 'times', label: text('backfill.times'), kind: 'lines', placeholder: '2026-01-05, 2026-01-09' },
    {
      name: 'params',
      label: text('schedule.params'),
      kind: 'pairs',
      error: pairs.wrong === undefined ? undefined : text('form.noPair', { line: pairs.wrong }),
    },
    { name: 'downstream', label: text('backfill.downstream'), kind: 'check' },
    { name: 'latest', label: text('backfill.latest'), kind: 'check' },
  ];
  const flag = (name: string, value: string | undefined) => (value ? ` --${name} ${quoted(value)}` : '');
  const command = [
    `orrery backfill ${quoted(workflow || 'NAME')}`,
    times.length > 0
      ? ` --times ${times.map(quoted).join(' ')}`
      : flag('from', values.from) + flag('to', values.to),
    flag('schedule', values.schedule) + flag('cron', values.cron) + flag('parallel', values.parallel),
    flag('order', values.order) + flag('on-failure', values.onFailure) + flag('priority', values.priority),
    values.downstream ? ' --downstream' : '',
    values.latest ? ' --latest' : '',
    ...Object.entries(pairs.values).map((pair) => ` --param ${quoted(pair.join('='))}`),
  ].join('');
  return (
    <Frame
      title={text('backfills.new')}
      crumbs={[{ label: text('nav.backfills'), to: '/backfills' }, { label: text('backfills.new') }]}
    >
      <div className={style.form}>
        <Form
          fields={form}
          values={{ order: 'oldest', onFailure: 'continue', ...values } as FormValues}
          onChange={(change) => {
            setTouched(true);
            setSearch(
              Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value || undefined])),
            );
          }}
          command={command}
          error={start.error}
          pending={start.isPending}
          disabled={!ready || !tried.data || tried.data.count === 0}
          deed={
            tried.data && ready ? text('backfill.start', { count: tried.data.runs }) : text('backfills.new')
          }
          onSubmit={() =>
            start.mutate(
              { body },
              {
                onSuccess: ({ id }) => {
                  notify(text('start.started', { id: id ?? 0 }), 'good');
                  go(`/backfills/${id}`);
                },
              },
            )
          }
          onCancel={() => go('/backfills')}
        >
          {ready && tried.error && (touched || !tried.data) && <ErrorPanel error={tried.error} />}
          {ready && tried.data && !tried.error && (
            <div role="status" className={style.plan}>
              <p>
                <strong>
                  {text('backfill.would', {
                    times: exact(tried.data.count, locale),
                    runs: exact(tried.data.runs, locale),
                  })}
                </strong>{' '}
                {tried.data.workflows.join(' → ')}
              </p>
              {tried.data.times.length > 0 && (
                <p>
                  {text('backfill.first')} <Time at={tried.data.times[0]} form="absolute" /> ·{' '}
                  {text('backfill.last')} <Time at={tried.data.times.at(-1) ?? null} form="absolute" />
                </p>
              )}
              {usual != null && (
                <p className="dim">
                  {text('backfill.estimate', {
                    time: duration(Math.ceil(tried.data.count / Math.max(1, parallel)) * usual, units),
                  })}
                </p>
              )}
            </div>
          )}
        </Form>
      </div>
    </Frame>
  );
}
