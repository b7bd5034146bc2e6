/** Edits a schedule: as one types, when it would fire. Saving makes a new version of its workflow. */
import { useState } from 'react';
import { useAction, useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { weekdays } from '../../model/calendar-days.ts';
import { linesOf, pairsOf } from '../../model/pairs.ts';
import { englishUnits, interval } from '../../model/time.ts';
import { CronPreview } from '../../parts/cron-preview.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { FormDialog, type FormField, type FormValues } from '../../parts/form.tsx';
import { notify } from '../../parts/notices.tsx';
import { Time } from '../../parts/time.tsx';
import style from './schedule.module.css';
import type { Schedule } from './use-schedule-actions.tsx';

const policies = ['fire-once', 'fire-all', 'skip'] as const;

/** An interval as the file writes it: `1h30m`. */
const written = (ms: number) => interval(ms, englishUnits).replaceAll(' ', '');

const listOf = (value: string) => value.split(/[\s,]+/).filter(Boolean);

export function EditSchedule({ schedule, onClose }: { schedule: Schedule; onClose(): void }) {
  const text = useText();
  const { id, cron, every, timezone, version, exclude } = schedule;
  const before: FormValues = {
    kind: cron === undefined ? 'every' : 'cron',
    cron: cron ?? '',
    every: every === undefined ? '' : written(every),
    timezone,
    from: schedule.from ?? '',
    until: schedule.until ?? '',
    misfire: schedule.misfire.policy,
    dates: exclude?.dates.join(', ') ?? '',
    yearly: exclude?.yearly.join(', ') ?? '',
    weekdays: exclude?.weekdays.map((day) => weekdays[day % 7]).join(', ') ?? '',
    calendar: schedule.calendar ?? '',
    params: linesOf(schedule.params),
    note: '',
  };
  const [values, setValues] = useState(before);
  const update = useAction('updateSchedule', [
    'listSchedules',
    'showSchedule',
    'listWorkflows',
    'showWorkflow',
  ]);
  const { data: known } = useApi('listCalendars', { project: schedule.project });
  const pairs = pairsOf(values.params);
  const isCron = values.kind === 'cron';
  const isExcluded = values.dates !== '' || values.yearly !== '' || values.weekdays !== '';
  const body = {
    ...(isCron ? { cron: values.cron } : { every: values.every }),
    timezone: values.timezone || null,
    from: values.from || null,
    until: values.until || null,
    misfire: values.misfire as (typeof policies)[number],
    exclude: isExcluded
      ? { dates: listOf(values.dates), yearly: listOf(values.yearly), weekdays: listOf(values.weekdays) }
      : null,
    calendar: values.calendar || null,
    params: pairs.values,
    ...(values.note === '' ? {} : { note: values.note }),
  };
  // Previewed by the server: windows and excluded days count, which a cron does not include.
  const ready = isCron ? values.cron !== '' : values.every !== '';
  const tried = useApi(
    'updateSchedule',
    ready && !pairs.wrong ? { id, body: { ...body, dryRun: true } } : null,
    {
      keep: true,
    },
  );
  const fields: readonly FormField[] = [
    {
      name: 'kind',
      label: text('schedule.kind'),
      kind: 'select',
      required: true,
      options: [
        { value: 'cron', label: text('schedule.byCron') },
        { value: 'every', label: text('schedule.byInterval') },
      ],
    },
    isCron
      ? { name: 'cron', label: text('schedule.cron'), required: true, hint: text('schedule.cronHint') }
      : { name: 'every', label: text('schedule.every'), required: true, placeholder: '30m' },
    { name: 'timezone', label: text('schedule.zone'), placeholder: 'UTC' },
    {
      name: 'misfire',
      label: text('schedule.misfire'),
      kind: 'select',
      required: true,
      options: [...policies],
    },
    { name: 'from', label: text('schedule.from'), placeholder: '2026-01-01' },
    { name: 'until', label: text('schedule.until'), placeholder: '2026-12-31' },
    { name: 'dates', label: text('schedule.dates'), placeholder: '2026-10-01, 2026-10-02' },
    { name: 'yearly', label: text('schedule.yearly'), placeholder: '12-25' },
    { name: 'weekdays', label: text('schedule.weekdays'), placeholder: 'saturday, sunday' },
    {
      name: 'calendar',
      label: text('schedule.calendar'),
      kind: 'select',
      options: (known?.calendars ?? []).map(({ name }) => name),
    },
    { name: 'note', label: text('workflow.note') },
    {
      name: 'params',
      label: text('schedule.params'),
      kind: 'pairs',
      placeholder: 'region=eu',
      error: pairs.wrong === undefined ? undefined : text('form.noPair', { line: pairs.wrong }),
    },
  ];
  return (
    <FormDialog
      title={text('schedule.editTitle', { name: schedule.name })}
      fields={fields}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }) as FormValues)}
      error={update.error}
      pending={update.isPending}
      deed={text('schedule.save')}
      onSubmit={() =>
        update.mutate(
          { id, ifMatch: String(version), body },
          {
            onSuccess: () => {
              notify(text('schedule.saved', { name: schedule.name }), 'good');
              onClose();
            },
          },
        )
      }
      onClose={onClose}
    >
      {isCron && <CronPreview cron={values.cron} zone={values.timezone || 'UTC'} />}
      {tried.error && <ErrorPanel error={tried.error} />}
      {tried.data && !tried.error && (
        <p className={style.effect}>
          {text('schedule.would')}{' '}
          {tried.data.nextTicks.length === 0
            ? text('cron.never')
            : tried.data.nextTicks.map((at) => (
                <span key={at}>
                  <Time at={at} zone={tried.data.timezone} form="absolute" />{' '}
                </span>
              ))}
        </p>
      )}
      {tried.data && !tried.error && tried.data.leftOut.length > 0 && (
        <p className={style.effect}>
          {text('schedule.leftOutTicks')}{' '}
          {tried.data.leftOut.map((at) => (
            <span key={at}>
              <Time at={at} zone={tried.data.timezone} form="absolute" />{' '}
            </span>
          ))}
        </p>
      )}
      <p className="dim">{text('schedule.editNote')}</p>
    </FormDialog>
  );
}
