/** Alerts: open alerts, the messages with every try and answer, rules, channels and mutes. */
import { Button, Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAction, useApi, usePages } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import type { Key } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import styles from '../../parts/section.module.css';
import { Section } from '../../parts/section.tsx';
import { Table } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { Channels } from './channels.tsx';
import { Messages } from './messages.tsx';
import { Rules } from './rules.tsx';
import { About, AlertState, listOf, subjectName } from './shown.tsx';

const sections = {
  open: ['nav.alerts', Open, '/alerts', 'orrery alerts list'],
  messages: ['alerts.messages', Messages, '/deliveries', 'orrery alerts messages'],
  rules: ['alerts.rules', Rules, '/alert-rules', 'orrery rules list'],
  mutes: ['alerts.mutes', Mutes, '/alert-mutes', undefined],
  channels: ['alerts.channels', Channels, '/alert-channels', 'orrery channels list'],
} as const satisfies Record<string, readonly [Key, () => ReactNode, string, string | undefined]>;

type SectionName = keyof typeof sections;

export function Page() {
  const text = useText();
  const { section: given = 'open' } = useParams({ strict: false }) as { section?: string };
  const name = (given in sections ? given : 'open') as SectionName;
  const { data: me } = useApi('showMe', {});
  const [label, Body, request, command] = sections[name];
  useTellSame({ request, command });
  // Addresses of channels are secret: only administrators see them.
  const seen = (Object.keys(sections) as SectionName[]).filter(
    (one) => one !== 'channels' || me?.role === 'admin',
  );
  return (
    <Frame
      title={text('nav.alerts')}
      crumbs={[
        { label: text('nav.alerts'), to: '/alerts' },
        ...(name === 'open' ? [] : [{ label: text(label) }]),
      ]}
      lines={
        <Tabs
          label={text('alerts.sections')}
          current={name}
          tabs={seen.map((one) => ({
            name: one,
            label: text(sections[one][0]),
            to: one === 'open' ? '/alerts' : `/alerts/${one}`,
          }))}
        />
      }
    >
      <div className={styles.body}>
        <Body />
      </div>
    </Frame>
  );
}

type Alert = AnswerOf<'listAlerts'>['alerts'][number];

function nameOf({ subjects: [first] }: Alert): string {
  return first ? subjectName(first) : '';
}

function Open() {
  const text = useText();
  const [withOver, setWithOver] = useState(false);
  const query = usePages('listAlerts', { open: !withOver, limit: 200 });
  const alerts = query.data?.pages.flatMap((page) => page.alerts) ?? [];
  const [muted, setMuted] = useState<Alert | 'new' | null>(null);
  const acknowledge = useAction('acknowledgeAlert', ['listAlerts']);
  useKeys([{ keys: 'm', label: text('alerts.mute'), run: () => setMuted(alerts[0] ?? 'new') }]);
  return (
    <Section
      title={text('nav.alerts')}
      query={query}
      actions={
        <>
          <Button onClick={() => setWithOver(!withOver)}>
            {text(withOver ? 'alerts.withoutOver' : 'alerts.withOver')}
          </Button>
          <Button data-hint="m" onClick={() => setMuted('new')}>
            {text('alerts.mute')}
          </Button>
        </>
      }
    >
      {query.data && alerts.length === 0 && (
        <EmptyState title={text('alerts.none')} commands={['orrery alerts list --all']} />
      )}
      {alerts.length > 0 && (
        <Table
          label={text('nav.alerts')}
          rows={alerts}
          more={query}
          keyOf={({ id }) => String(id)}
          wordsOf={(one) =>
            [nameOf(one), one.rule, ...one.subjects.flatMap(({ kind, text }) => [kind, text])].join(' ')
          }
          columns={[
            {
              label: text('alerts.about'),
              head: true,
              cell: ({ subjects: [first, ...others] }) =>
                first && <About subject={first} others={others.length} />,
            },
            { label: text('schedules.state'), cell: ({ state }) => <AlertState state={state} /> },
            { label: text('alerts.kind'), cell: ({ subjects }) => <code>{subjects[0]?.kind}</code> },
            { label: text('alerts.cause'), cell: ({ subjects }) => subjects[0]?.text },
            { label: text('alerts.count'), end: true, cell: ({ count }) => count },
            { label: text('alerts.since'), cell: ({ firstAt }) => <Time at={firstAt} /> },
            { label: text('alerts.rule'), cell: ({ rule }) => rule },
            {
              label: '',
              tight: true,
              cell: (one) => (
                <Group gap={4} wrap="nowrap">
                  {one.acknowledged && text('alerts.acknowledgedBy', { by: one.acknowledged.by })}
                  {!one.acknowledged && one.state !== 'over' && (
                    <Button
                      size="compact-xs"
                      aria-label={text('alerts.acknowledgeOf', { name: nameOf(one) })}
                      onClick={() =>
                        acknowledge.mutate({ id: one.id }, { onError: (error) => notify(error, 'bad') })
                      }
                    >
                      {text('alerts.acknowledge')}
                    </Button>
                  )}
                  {one.state !== 'over' && (
                    <Button
                      size="compact-xs"
                      aria-label={text('alerts.muteOf', { name: nameOf(one) })}
                      onClick={() => setMuted(one)}
                    >
                      {text('alerts.mute')}
                    </Button>
                  )}
                </Group>
              ),
            },
          ]}
        />
      )}
      {muted && <MuteForm alert={muted === 'new' ? null : muted} onClose={() => setMuted(null)} />}
    </Section>
  );
}

function MuteForm({ alert, onClose }: { alert: Alert | null; onClose(): void }) {
  const text = useText();
  const set = useAction('setAlertMute', ['listAlertMutes', 'listAlerts']);
  const [values, setValues] = useState({
    project: alert?.project ?? 'default',
    names: alert?.subjects[0]?.name ?? '',
    for: '2h',
    reason: '',
  });
  const names = listOf(values.names);
  return (
    <FormDialog
      title={alert ? text('alerts.muteOf', { name: nameOf(alert) }) : text('alerts.mute')}
      fields={[
        { name: 'for', label: text('alerts.for'), required: true, hint: text('alerts.forHint') },
        { name: 'reason', label: text('alerts.reason'), required: true },
        { name: 'names', label: text('alerts.names'), hint: text('alerts.namesHint') },
        { name: 'project', label: text('workflows.project'), required: true },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      command={`orrery alerts mute --for ${values.for || '2h'} --reason ${quoted(values.reason || 'REASON')}${names.map((one) => ` --name ${quoted(one)}`).join('')} --project ${quoted(values.project)}`}
      error={set.error}
      pending={set.isPending}
      deed={text('alerts.mute')}
      onSubmit={() =>
        set.mutate(
          {
            project: values.project,
            body: {
              match: names.length > 0 ? { names } : {},
              until: `+${values.for}`,
              reason: values.reason,
            },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    />
  );
}

function Mutes() {
  const text = useText();
  const query = useApi('listAlertMutes', {});
  const end = useAction('endAlertMute', ['listAlertMutes', 'listAlerts']);
  return (
    <Section title={text('alerts.mutes')} query={query}>
      {query.data?.mutes.length === 0 && (
        <EmptyState
          title={text('alerts.noMutes')}
          commands={["orrery alerts mute --for 2h --reason maintenance --name 'etl-*'"]}
        />
      )}
      {query.data && query.data.mutes.length > 0 && (
        <Table
          label={text('alerts.mutes')}
          rows={query.data.mutes}
          keyOf={({ id }) => String(id)}
          wordsOf={({ reason, project, by }) => `${reason} ${project} ${by}`}
          columns={[
            { label: text('alerts.reason'), head: true, cell: ({ reason }) => reason },
            {
              label: text('nav.alerts'),
              cell: ({ match }) => Object.values(match).flat().join(', ') || text('alerts.all'),
            },
            { label: text('workflows.project'), cell: ({ project }) => project },
            { label: text('alerts.until'), cell: ({ until }) => <Time at={until} /> },
            { label: text('alerts.by'), cell: ({ by }) => by },
            {
              label: '',
              tight: true,
              cell: ({ id, project }) => (
                <Button
                  size="compact-xs"
                  onClick={() => end.mutate({ id, project }, { onError: (error) => notify(error, 'bad') })}
                >
                  {text('alerts.endMute')}
                </Button>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}
