/** Rules route alerts to channels. The form shows how often a rule would have fired. */
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useAction, useApi } from '../../data/api.ts';
import type { AnswerOf, InputOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { ManagedTable } from '../../parts/managed-table.tsx';
import { Time } from '../../parts/time.tsx';
import { listOf } from './shown.tsx';

type Stored = AnswerOf<'listAlertRules'>['rules'][number];
type RuleBody = InputOf<'setAlertRule'>['body'];

/** A stored rule, with durations in milliseconds. */
interface ShownRule {
  readonly name: string;
  readonly channels: readonly string[];
  readonly match: {
    readonly kinds?: readonly string[];
    readonly names?: readonly string[];
    readonly tags?: readonly string[];
    readonly severity?: string;
  };
  readonly delay: number;
  readonly repeat: number;
  readonly resolve: boolean;
  readonly quiet?: { readonly from: string; readonly to: string; readonly timezone: string };
  readonly escalate?: { readonly after: number; readonly channels: readonly string[] };
}
const shownOf = ({ rule }: Stored) => rule as unknown as ShownRule;

export function Rules() {
  const text = useText();
  const query = useApi('listAlertRules', {});
  const remove = useAction('deleteAlertRule', ['listAlertRules', 'listAlerts']);
  return (
    <ManagedTable
      title={text('alerts.rules')}
      query={query}
      rows={query.data?.rules}
      keyOf={(one) => `${one.project}/${shownOf(one).name}`}
      nameOf={(one) => shownOf(one).name}
      none={text('alerts.noRules')}
      command="orrery rules set -f failures.yaml"
      create={text('alerts.newRule')}
      columns={[
        { label: text('settings.name'), head: true, cell: (one) => shownOf(one).name },
        { label: text('workflows.project'), cell: ({ project }) => project },
        {
          label: text('alerts.kinds'),
          cell: (one) => shownOf(one).match.kinds?.join(', ') ?? text('alerts.all'),
        },
        { label: text('alerts.channels'), cell: (one) => shownOf(one).channels.join(', ') },
        { label: text('settings.changed'), cell: ({ changedAt }) => <Time at={changedAt} /> },
      ]}
      form={(stored, onClose) => <RuleForm stored={stored} onClose={onClose} />}
      remove={{
        titleOf: (one) => text('alerts.deleteRule', { name: shownOf(one).name }),
        note: text('alerts.deleteNote'),
        action: remove,
        run: (one, after) => remove.mutate({ project: one.project, name: shownOf(one).name }, after),
      }}
    />
  );
}

const severities = ['info', 'warning', 'error', 'critical'];
const QUIET = /^(\d\d:\d\d)\s*-\s*(\d\d:\d\d)(?:\s+(\S+))?$/;

/** Milliseconds as people write them. */
function durationText(time: number | undefined): string {
  if (!time) return '';
  if (time % 3_600_000 === 0) return `${time / 3_600_000}h`;
  return time % 60_000 === 0 ? `${time / 60_000}m` : `${time / 1_000}s`;
}

function valuesOf(stored: Stored | null) {
  const rule = stored && shownOf(stored);
  const { match, quiet, escalate } = rule ?? {};
  return {
    name: rule?.name ?? '',
    project: stored?.project ?? 'default',
    channels: rule?.channels.join(', ') ?? '',
    kinds: rule ? (match?.kinds?.join(', ') ?? '') : 'run-failed, deadline',
    names: match?.names?.join(', ') ?? '',
    tags: match?.tags?.join(', ') ?? '',
    severity: match?.severity ?? '',
    delay: durationText(rule?.delay),
    repeat: durationText(rule?.repeat) || '4h',
    quiet: quiet ? `${quiet.from}-${quiet.to} ${quiet.timezone}` : '',
    escalateAfter: durationText(escalate?.after),
    escalateTo: escalate?.channels.join(', ') ?? '',
    resolve: rule?.resolve === false ? '' : 'true',
  };
}

/** What the API takes; parts that the form does not show stay as they were. */
function bodyOf(values: ReturnType<typeof valuesOf>, stored: Stored | null): RuleBody {
  const old = (stored?.rule ?? {}) as Record<string, unknown>;
  const given = (name: string, list: string[]) => (list.length > 0 ? { [name]: list } : {});
  const [, from, to, timezone = 'UTC'] = QUIET.exec(values.quiet) ?? [];
  const { match: oldMatch, quiet: oldQuiet, escalate: _, ...rest } = old;
  const projects = (oldMatch as { projects?: string[] } | undefined)?.projects;
  return {
    ...rest,
    name: values.name,
    channels: listOf(values.channels),
    match: {
      ...given('kinds', listOf(values.kinds)),
      ...given('names', listOf(values.names)),
      ...given('tags', listOf(values.tags)),
      ...(projects && { projects }),
      ...(values.severity && { severity: values.severity }),
    },
    delay: values.delay || 0,
    repeat: values.repeat || '4h',
    resolve: values.resolve === 'true',
    ...(from && to && { quiet: { ...withDays(oldQuiet), from, to, timezone } }),
    ...(values.escalateAfter && {
      escalate: { after: values.escalateAfter, channels: listOf(values.escalateTo) },
    }),
  } as RuleBody;
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The days of stored quiet hours, which are numbers there, as people write them. */
function withDays(quiet: unknown): object {
  const { days } = (quiet ?? {}) as { days?: number[] };
  return days ? { days: days.map((day) => weekdays[day]) } : {};
}

/** The parts of a preview's sentence. */
function counted({ fired, days, matched }: AnswerOf<'previewAlertRule'>) {
  return { fired, days, matched };
}

function RuleForm({ stored, onClose }: { stored: Stored | null; onClose(): void }) {
  const text = useText();
  const [values, setValues] = useState(() => valuesOf(stored));
  const set = useAction('setAlertRule', ['listAlertRules']);
  const preview = useAction('previewAlertRule');
  const { project, name } = values;
  const isWrong = values.quiet !== '' && !QUIET.test(values.quiet);
  return (
    <FormDialog
      title={stored ? text('settings.editOf', { name }) : text('alerts.newRule')}
      fields={[
        ...(stored
          ? []
          : [
              { name: 'name', label: text('settings.name'), required: true },
              { name: 'project', label: text('workflows.project'), required: true },
            ]),
        { name: 'channels', label: text('alerts.channels'), required: true, placeholder: 'ops' },
        { name: 'kinds', label: text('alerts.kinds'), hint: text('alerts.kindsHint') },
        { name: 'names', label: text('alerts.names'), hint: text('alerts.namesHint') },
        { name: 'tags', label: text('alerts.tags') },
        { name: 'severity', label: text('alerts.severity'), kind: 'select', options: severities },
        { name: 'delay', label: text('alerts.delay'), placeholder: '5m' },
        { name: 'repeat', label: text('alerts.repeat'), placeholder: '4h' },
        {
          name: 'quiet',
          label: text('alerts.quiet'),
          hint: text('alerts.quietHint'),
          error: isWrong ? text('alerts.quietWrong') : undefined,
        },
        { name: 'escalateAfter', label: text('alerts.escalateAfter'), placeholder: '30m' },
        { name: 'escalateTo', label: text('alerts.escalateTo') },
        { name: 'resolve', label: text('alerts.resolve'), kind: 'check' },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      error={set.error ?? preview.error}
      pending={set.isPending}
      deed={text('schedule.save')}
      onSubmit={() => set.mutate({ project, name, body: bodyOf(values, stored) }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Group gap={8} aria-live="polite">
        <Button
          loading={preview.isPending}
          disabled={name === '' || values.channels === '' || isWrong}
          onClick={() => preview.mutate({ project, body: bodyOf(values, stored) })}
        >
          {text('alerts.preview')}
        </Button>
        {preview.data && text('alerts.previewed', counted(preview.data))}
        {preview.data?.isCut && text('alerts.previewCut')}
      </Group>
    </FormDialog>
  );
}
