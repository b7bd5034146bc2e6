/** The parameters of a workflow, and what every placeholder becomes at a business time. */
import { TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { useApi } from '../../data/api.ts';
import { useText } from '../../i18n/text.tsx';
import { joined, parted, placeholdersOf } from '../../model/placeholders.ts';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Table } from '../../parts/table.tsx';
import { useTyping } from '../../parts/use-typing.ts';
import { type Shown, useWorkflowSearch } from './search.ts';
import style from './workflow.module.css';

interface Row {
  readonly name: string;
  readonly text: string;
  /** Of a parameter: what it is; of a placeholder: which tasks have it. */
  readonly about: string;
  readonly value: string | undefined;
}

export function Parameters({ shown: { project, workflow } }: { shown: Shown }) {
  const text = useText();
  const [search, setSearch] = useWorkflowSearch();
  const { params: declared, timezone, tasks } = workflow;
  const shared = useApi('showParameters', {}).data?.params;
  const own = useApi('showProject', { project }).data?.params;
  const defaults = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(declared).flatMap(([name, { default: value }]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
    [declared],
  );
  const placeholders = useMemo(() => placeholdersOf(tasks), [tasks]);
  const texts = [...Object.values(defaults), ...placeholders.map((one) => one.text)];
  const resolved = useApi(
    'previewParams',
    texts.length === 0
      ? null
      : {
          body: {
            template: joined(texts),
            ...(search.at ? { at: search.at } : {}),
            tz: timezone,
            // The nearest wins: what the workflow declares, its project, all projects.
            params: { ...shared, ...own, ...defaults },
          },
        },
    { keep: true },
  );
  const values = resolved.data ? parted(resolved.data.value) : [];
  const names = Object.keys(defaults);
  const rows: readonly Row[] = Object.entries(declared).map(([name, one]) => ({
    name,
    text: one.default ?? (one.required ? text('workflow.params.required') : ''),
    about: [one.type, ...(one.options ? [one.options.join(' | ')] : []), one.description ?? '']
      .filter(Boolean)
      .join(' · '),
    value: names.includes(name) ? values[names.indexOf(name)] : undefined,
  }));
  const used: readonly Row[] = placeholders.map((one, at) => ({
    name: one.text,
    text: '',
    about: one.tasks.join(', '),
    value: values[names.length + at],
  }));
  const typing = useTyping(search.at ?? '', (at) => setSearch({ at: at || undefined }));
  const value = (row: Row) =>
    row.value === undefined || row.value === row.name ? (
      <span className="dim">{text('workflow.params.later')}</span>
    ) : (
      <code>{row.value}</code>
    );
  return (
    <div className={style.tab}>
      <TextInput
        className={style.at}
        label={text('workflow.params.at', { zone: timezone })}
        placeholder={text('start.now')}
        {...typing}
      />
      {resolved.error && <ErrorPanel error={resolved.error} retry={() => void resolved.refetch()} />}
      {rows.length === 0 && <p className="dim">{text('start.noParameters')}</p>}
      {rows.length > 0 && (
        <Table
          label={text('workflow.tab.parameters')}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { label: text('workflow.params.name'), head: true, cell: ({ name }) => <code>{name}</code> },
            { label: text('workflow.params.type'), cell: ({ about }) => about },
            { label: text('workflow.params.default'), cell: (row) => <code>{row.text}</code> },
            { label: text('workflow.params.value'), cell: value },
          ]}
        />
      )}
      <p className="dim">{text('workflow.params.precedence')}</p>
      {used.length > 0 && (
        <>
          <h2>{text('workflow.params.used')}</h2>
          <Table
            label={text('workflow.params.used')}
            rows={used}
            keyOf={({ name }) => name}
            columns={[
              {
                label: text('workflow.params.placeholder'),
                head: true,
                cell: ({ name }) => <code>{name}</code>,
              },
              { label: text('workflow.params.tasks'), cell: ({ about }) => about },
              { label: text('workflow.params.value'), cell: value },
            ]}
          />
        </>
      )}
    </div>
  );
}
