/** Connections: where the tasks of a project find other systems, with a test from a worker. */
import { useState } from 'react';
import { runAddress } from '../../app/addresses.ts';
import { Link } from '../../app/link.tsx';
import { useAction, useApi, useRight } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { fieldsOf, settingsOf, typedOf } from '../../model/schema-form.ts';
import { hasEnded } from '../../model/state.ts';
import { FormDialog, type FormValues } from '../../parts/form.tsx';
import { ManagedTable } from '../../parts/managed-table.tsx';
import { notify } from '../../parts/notices.tsx';
import styles from '../../parts/section.module.css';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { EVERY } from './every.ts';

type Connection = AnswerOf<'listConnections'>['connections'][number];
const nameOf = ({ project, name }: Connection) => `${project}/${name}`;

export function Connections() {
  const text = useText();
  const query = useApi('listConnections', {}, { every: EVERY });
  const may = useRight('setConnection');
  const [tests, setTests] = useState<Readonly<Record<string, number>>>({});
  const test = useAction('testConnection');
  const remove = useAction('deleteConnection', ['listConnections']);
  return (
    <ManagedTable
      title={text('settings.connections')}
      query={query}
      rows={query.data?.connections}
      keyOf={nameOf}
      nameOf={({ name }) => name}
      none={text('connections.none')}
      command="orrery connections set warehouse --kind sqlite -s file=warehouse.db"
      create={text('connections.new')}
      may={may}
      columns={[
        { label: text('settings.name'), head: true, cell: nameOf },
        { label: text('connections.kind'), cell: ({ kind }) => kind },
        { label: text('settings.description'), cell: ({ description }) => description },
        { label: text('settings.changed'), cell: ({ changedAt }) => <Time at={changedAt} /> },
        {
          label: text('connections.test'),
          cell: (one) => nameOf(one) in tests && <TestResult run={tests[nameOf(one)]} />,
        },
      ]}
      deeds={(one) => [
        {
          label: text('connections.test'),
          named: text('connections.testOf', { name: one.name }),
          run: () =>
            test.mutate(
              { project: one.project, name: one.name, body: {} },
              {
                onSuccess: ({ run }) => setTests((now) => ({ ...now, [nameOf(one)]: run })),
                onError: (error) => notify(error, 'bad'),
              },
            ),
        },
      ]}
      form={(one, onClose) => <EditConnection connection={one} onClose={onClose} />}
      remove={{
        note: text('connections.deleteNote'),
        action: remove,
        run: ({ project, name }, after) => remove.mutate({ project, name }, after),
      }}
    />
  );
}

/** The progress of a test: the state of its run, then its result or error. */
function TestResult({ run }: { run: number }) {
  const text = useText();
  const { data } = useApi('showRun', { id: run });
  const ended = data !== undefined && hasEnded(data.state);
  const { data: task } = useApi('showTaskRun', ended ? { id: `${run}.connect` } : null);
  const found = task?.outputs?.server;
  return (
    <span className={styles.row}>
      <Link to={runAddress(run)}>
        <StateBadge state={data?.state ?? 'queued'} />
      </Link>
      <span>
        {found !== undefined
          ? text('connections.found', { server: found, latency: task?.outputs?.latency ?? '' })
          : task?.reason}
      </span>
    </span>
  );
}

function EditConnection({ connection, onClose }: { connection: Connection | null; onClose(): void }) {
  const text = useText();
  const { data: me } = useApi('showMe', {});
  const { data: known } = useApi('listConnectionKinds', {});
  const set = useAction('setConnection', ['listConnections']);
  const [values, setValues] = useState<FormValues>({
    ...(connection ? typedOf(connection.settings) : {}),
    // Settings of kinds have plain names, so these cannot be one.
    ':project': connection?.project ?? me?.project ?? 'default',
    ':name': connection?.name ?? '',
    ':kind': connection?.kind ?? '',
    ':description': connection?.description ?? '',
  });
  const kind = known?.kinds.find(({ name }) => name === values[':kind']);
  const settings = kind ? settingsOf(kind.schema, values) : {};
  const { ':project': project, ':name': name } = values;
  const flags = Object.entries(settings).map(([key, value]) => ` -s ${quoted(`${key}=${value}`)}`);
  return (
    <FormDialog
      title={connection ? text('settings.editOf', { name: nameOf(connection) }) : text('connections.new')}
      fields={[
        ...(connection
          ? []
          : [
              { name: ':name', label: text('settings.name'), required: true },
              { name: ':project', label: text('workflows.project'), required: true },
              {
                name: ':kind',
                label: text('connections.kind'),
                kind: 'select' as const,
                required: true,
                options: (known?.kinds ?? []).map((one) => ({ value: one.name, label: one.title })),
              },
            ]),
        { name: ':description', label: text('settings.description') },
        ...(kind ? fieldsOf(kind.schema) : []),
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      command={`orrery connections set ${quoted(`${project}/${name || 'NAME'}`)} --kind ${values[':kind'] || 'KIND'}${flags.join('')}`}
      error={set.error}
      pending={set.isPending}
      disabled={!kind}
      deed={text('schedule.save')}
      onSubmit={() =>
        set.mutate(
          {
            project,
            name,
            ifMatch: `"${connection?.revision ?? 0}"`,
            body: { kind: values[':kind'], description: values[':description'], settings },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      {kind?.driver !== undefined && (
        <p className="dim">{text('connections.driver', { name: kind.driver })}</p>
      )}
      <p className="dim">{text('connections.secretsNote', { example: '${secret.NAME}' })}</p>
    </FormDialog>
  );
}
