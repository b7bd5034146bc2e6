/** Channels: the targets of messages. The form is built from the schema of the kind, and names secrets. */
import { useState } from 'react';
import { useAction, useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { linesOf, pairsOf } from '../../model/pairs.ts';
import { FormDialog, type FormField, type FormValues } from '../../parts/form.tsx';
import { ManagedTable } from '../../parts/managed-table.tsx';
import { notify } from '../../parts/notices.tsx';
import { Time } from '../../parts/time.tsx';
import { AlertState, listOf } from './shown.tsx';

type Channel = AnswerOf<'listAlertChannels'>['channels'][number];

export function Channels() {
  const text = useText();
  const query = useApi('listAlertChannels', {});
  const remove = useAction('deleteAlertChannel', ['listAlertChannels']);
  const test = useAction('testAlertChannel', ['listDeliveries']);
  return (
    <ManagedTable
      title={text('alerts.channels')}
      query={query}
      rows={query.data?.channels}
      keyOf={({ project, name }) => `${project}/${name}`}
      nameOf={({ name }) => name}
      none={text('alerts.noChannels')}
      command="orrery channels set ops --kind webhook -f ops.yaml"
      create={text('alerts.newChannel')}
      columns={[
        { label: text('settings.name'), head: true, cell: ({ name }) => name },
        { label: text('alerts.kind'), cell: ({ kind }) => kind },
        { label: text('workflows.project'), cell: ({ project }) => project },
        {
          label: text('schedules.state'),
          cell: ({ disabled }) => (
            <>
              <AlertState state={disabled === null ? 'on' : 'off'} />
              {disabled !== null && <div className="dim">{disabled}</div>}
            </>
          ),
        },
        { label: text('settings.changed'), cell: ({ changedAt }) => <Time at={changedAt} /> },
      ]}
      deeds={({ project, name }) => [
        {
          label: text('alerts.test'),
          named: text('alerts.testOf', { name }),
          run: () =>
            test.mutate(
              { project, name },
              {
                onSuccess: ({ delivery }) => notify(text('alerts.tested', { id: delivery })),
                onError: (error) => notify(error, 'bad'),
              },
            ),
        },
      ]}
      form={(channel, onClose) => <ChannelForm channel={channel} onClose={onClose} />}
      remove={{
        titleOf: ({ name }) => text('alerts.deleteChannel', { name }),
        note: text('alerts.deleteChannelNote'),
        action: remove,
        run: ({ project, name }, after) => remove.mutate({ project, name }, after),
      }}
    />
  );
}

/** As much of a JSON schema as a form shows. */
interface Schema {
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** The settings of a kind; where it comes in variants, those of all of them, required where all ask for it. */
function settingsOf({ oneOf, properties = {}, required = [] }: Schema) {
  if (!oneOf) return { properties, required };
  const merged: Record<string, Schema> = {};
  for (const variant of oneOf)
    for (const [name, one] of Object.entries(variant.properties ?? {})) {
      const values = [...(merged[name]?.enum ?? []), ...(one.const === undefined ? [] : [one.const])];
      merged[name] = { ...one, ...(values.length > 0 && { enum: values }) };
    }
  const always = oneOf.map((variant) => new Set(variant.required));
  return {
    properties: merged,
    required: Object.keys(merged).filter((name) => always.every((one) => one.has(name))),
  };
}

function kindOf({ type, enum: values, anyOf }: Schema): NonNullable<FormField['kind']> | 'list' {
  if (values) return 'select';
  if (type === 'boolean') return 'check';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array' || anyOf?.some((one) => one.type === 'array')) return 'list';
  return type === 'object' ? 'pairs' : 'text';
}

/** Values of the form from stored settings. */
function typedOf(schema: Schema, value: unknown): string {
  if (value === undefined) return '';
  if (kindOf(schema) === 'list') return Array.isArray(value) ? value.join(', ') : String(value);
  if (kindOf(schema) === 'pairs') return linesOf(value as Record<string, string>);
  return value === true ? 'true' : value === false ? '' : String(value);
}

/** A setting from what was typed; undefined where nothing was. */
function settingOf(schema: Schema, typed: string): unknown {
  const kind = kindOf(schema);
  if (kind === 'check') return typed === 'true';
  if (typed === '') return undefined;
  if (kind === 'list') return listOf(typed);
  if (kind === 'pairs') return pairsOf(typed).values;
  return kind === 'number' && /^\d+$/.test(typed) ? Number(typed) : typed;
}

const TITLE = 'template.title';
const TEXT = 'template.text';

function ChannelForm({ channel, onClose }: { channel: Channel | null; onClose(): void }) {
  const text = useText();
  const kinds = useApi('listAlertChannelKinds', {});
  const set = useAction('setAlertChannel', ['listAlertChannels']);
  const [values, setValues] = useState<FormValues>({
    name: channel?.name ?? '',
    project: channel?.project ?? '*',
    kind: channel?.kind ?? 'mail',
  });
  const found = kinds.data?.kinds.find(({ name }) => name === values.kind);
  const { properties, required } = settingsOf((found?.schema ?? {}) as Schema);
  const own = Object.entries(properties).filter(([name]) => name !== 'template' && name !== 'language');
  const template = (channel?.settings.template ?? {}) as { title?: string; text?: string };
  const stored: FormValues = {
    ...Object.fromEntries(own.map(([name, one]) => [name, typedOf(one, channel?.settings[name])])),
    language: String(channel?.settings.language ?? ''),
    [TITLE]: template.title ?? '',
    [TEXT]: template.text ?? '',
  };
  // A setting may have the name of a field of the channel.
  const key = (name: string) => `settings.${name}`;
  const given = (name: string) => values[key(name)] ?? stored[name] ?? '';
  const settings = () => {
    const title = given(TITLE);
    const body = given(TEXT);
    return Object.fromEntries(
      [
        ...own.map(([name, one]) => [name, settingOf(one, given(name))] as const),
        ['language', given('language') || undefined] as const,
        [
          'template',
          title || body ? { ...(title && { title }), ...(body && { text: body }) } : undefined,
        ] as const,
      ].filter(([, value]) => value !== undefined),
    );
  };
  const shown = Object.fromEntries([...Object.keys(stored)].map((name) => [key(name), given(name)]));
  return (
    <FormDialog
      title={channel ? text('settings.editOf', { name: channel.name }) : text('alerts.newChannel')}
      fields={[
        ...(channel
          ? []
          : [
              { name: 'name', label: text('settings.name'), required: true },
              {
                name: 'kind',
                label: text('alerts.kind'),
                kind: 'select' as const,
                required: true,
                options: kinds.data?.kinds.map(({ name }) => name) ?? [],
              },
            ]),
        ...own.map(([name, one]): FormField => {
          const kind = kindOf(one);
          return {
            name: key(name),
            label: name,
            kind: kind === 'list' ? 'text' : kind,
            hint: one.description,
            placeholder: one.default === undefined ? undefined : String(one.default),
            required: required.includes(name),
            ...(one.enum && { options: one.enum }),
          };
        }),
        { name: key('language'), label: text('alerts.language'), kind: 'select', options: ['en', 'zh'] },
        { name: key(TITLE), label: text('alerts.templateTitle'), placeholder: '[{{severity}}] {{name}}' },
        { name: key(TEXT), label: text('alerts.templateText'), kind: 'lines' },
      ]}
      values={{ ...values, ...shown }}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      error={set.error ?? kinds.error}
      pending={set.isPending}
      disabled={!found}
      deed={text('schedule.save')}
      onSubmit={() =>
        set.mutate(
          {
            project: values.project,
            name: values.name,
            body: { kind: values.kind, settings: settings() },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <p className="dim">{text('alerts.secretHint')}</p>
    </FormDialog>
  );
}
