/**
 * Settings: access and shared resources. A section for each kind of thing; new kinds are added to the table.
 */
import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAction, useApi, usePages, useRight } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellSame } from '../../data/same-as.ts';
import type { Key } from '../../i18n/en.ts';
import { useText } from '../../i18n/text.tsx';
import { quoted } from '../../model/again.ts';
import { linesOf, namesOf, pairsOf } from '../../model/pairs.ts';
import { Id } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { ManagedTable } from '../../parts/managed-table.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import styles from '../../parts/section.module.css';
import { Section } from '../../parts/section.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Table } from '../../parts/table.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { Connections } from './connections.tsx';
import { EVERY } from './every.ts';
import { WorkerGroups } from './worker-groups.tsx';

const sections = {
  tokens: ['settings.tokens', Tokens],
  projects: ['settings.projects', Projects],
  connections: ['settings.connections', Connections],
  environments: ['settings.environments', Environments],
  'worker-groups': ['settings.workerGroups', WorkerGroups],
  secrets: ['settings.secrets', Secrets],
  retention: ['settings.retention', Retention],
  config: ['settings.config', Config],
  plugins: ['settings.plugins', Plugins],
} as const satisfies Record<string, readonly [Key, () => ReactNode]>;

type SectionName = keyof typeof sections;

export function Page() {
  const text = useText();
  const { section: given = 'tokens' } = useParams({ strict: false }) as { section?: string };
  const name = (given in sections ? given : 'tokens') as SectionName;
  const [label, Body] = sections[name];
  useTellSame({
    request:
      name === 'config' || name === 'retention' ? '/config' : `/${name === 'plugins' ? 'task-types' : name}`,
  });
  return (
    <Frame
      title={text('nav.settings')}
      crumbs={[{ label: text('nav.settings'), to: '/settings' }, { label: text(label) }]}
      lines={
        <Tabs
          label={text('settings.sections')}
          current={name}
          tabs={(Object.keys(sections) as SectionName[]).map((one) => ({
            name: one,
            label: text(sections[one][0]),
            to: `/settings/${one}`,
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

type Token = AnswerOf<'listTokens'>['tokens'][number];
const roles = ['viewer', 'operator', 'editor', 'admin'] as const;

function Tokens() {
  const text = useText();
  const query = usePages('listTokens', { limit: 200 }, EVERY);
  const revoke = useAction('revokeToken', ['listTokens', 'listAudit']);
  const stateOf = ({ revokedAt, expiresAt }: Token) =>
    revokedAt ? 'withdrawn' : expiresAt && Date.parse(expiresAt) < Date.now() ? 'expired' : 'on';
  return (
    <ManagedTable
      title={text('settings.tokens')}
      query={query}
      rows={query.data?.pages.flatMap((page) => page.tokens)}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      wordsOf={({ name, role, project, hint, createdBy }) => [name, role, project, hint, createdBy].join(' ')}
      none={text('settings.noTokens')}
      command="orrery token create ci --role operator"
      create={text('settings.newToken')}
      columns={[
        { label: text('settings.name'), head: true, cell: ({ name }) => name },
        { label: text('schedules.state'), cell: (one) => <StateBadge state={stateOf(one)} /> },
        { label: text('settings.role'), cell: ({ role }) => role },
        { label: text('workflows.project'), cell: ({ project }) => project ?? text('project.all') },
        { label: text('settings.hint'), cell: ({ hint }) => <code>{hint}…</code> },
        { label: text('settings.expires'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        { label: text('settings.used'), cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
        { label: text('settings.madeBy'), cell: ({ createdBy }) => createdBy },
      ]}
      isFixed
      form={(_, onClose) => <NewToken onClose={onClose} />}
      remove={{
        label: text('settings.revoke'),
        titleOf: ({ name }) => text('settings.revokeOf', { name }),
        note: text('settings.revokeNote'),
        can: ({ revokedAt }) => revokedAt === null,
        action: revoke,
        run: ({ id }, after) => revoke.mutate({ id }, after),
      }}
    />
  );
}

/** The token itself is shown here once, and nowhere else ever. */
function NewToken({ onClose }: { onClose(): void }) {
  const text = useText();
  const { data: me } = useApi('showMe', {});
  const [values, setValues] = useState({ name: '', role: 'viewer', project: '', days: '90' });
  const create = useAction('createToken', ['listTokens', 'listAudit']);
  const { name, role, project, days } = values;
  if (create.data)
    return (
      <Dialog title={text('settings.tokenMade', { name })} onClose={onClose}>
        <p>{text('settings.tokenOnce')}</p>
        <p className={styles.once}>
          <Id id={create.data.token} />
        </p>
      </Dialog>
    );
  return (
    <FormDialog
      title={text('settings.newToken')}
      fields={[
        { name: 'name', label: text('settings.name'), required: true, hint: text('settings.tokenFor') },
        { name: 'role', label: text('settings.role'), kind: 'select', required: true, options: [...roles] },
        {
          name: 'project',
          label: text('workflows.project'),
          kind: 'select',
          options: [...(me?.projects ?? [])],
          placeholder: text('project.all'),
        },
        { name: 'days', label: text('settings.days'), kind: 'number', placeholder: text('settings.never') },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      command={`orrery token create ${quoted(name || 'NAME')} --role ${role}${project && ` --project ${project}`}${days && ` --days ${days}`}`}
      error={create.error}
      pending={create.isPending}
      deed={text('settings.newToken')}
      onSubmit={() =>
        create.mutate({
          body: {
            name,
            role: role as (typeof roles)[number],
            project: project || null,
            days: days ? Number(days) : null,
          },
        })
      }
      onClose={onClose}
    />
  );
}

/** A project, or what all of them share. */
function Projects() {
  const text = useText();
  const query = useApi('listProjects', {}, { every: EVERY });
  const [edited, setEdited] = useState<string | null>(null);
  const rows = [{ name: '', createdAt: null as string | null }, ...(query.data?.projects ?? [])];
  return (
    <Section title={text('settings.projects')} query={query}>
      <Table
        label={text('settings.projects')}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { label: text('settings.name'), head: true, cell: ({ name }) => name || text('project.all') },
          { label: text('backfills.created'), cell: ({ createdAt }) => createdAt && <Time at={createdAt} /> },
          {
            label: '',
            tight: true,
            cell: ({ name }) => (
              <Button
                size="compact-xs"
                aria-label={text('settings.parametersOf', { name: name || text('project.all') })}
                onClick={() => setEdited(name)}
              >
                {text('workflow.tab.parameters')}
              </Button>
            ),
          },
        ]}
      />
      {edited !== null && <EditParameters key={edited} project={edited} onClose={() => setEdited(null)} />}
    </Section>
  );
}

function EditParameters({ project, onClose }: { project: string; onClose(): void }) {
  const text = useText();
  const own = useApi('showProject', project === '' ? null : { project });
  const shared = useApi('showParameters', project === '' ? {} : null);
  const found = project === '' ? shared.data : own.data;
  const [typed, setTyped] = useState<string | null>(null);
  const setOwn = useAction('setProject', ['showProject']);
  const setShared = useAction('setParameters', ['showParameters']);
  const lines = typed ?? linesOf(found?.params ?? {});
  const pairs = pairsOf(lines);
  const save = () => {
    const body = { params: pairs.values };
    const after = { onSuccess: onClose };
    if (project === '') setShared.mutate({ ifMatch: found && String(found.revision), body }, after);
    else setOwn.mutate({ project, ifMatch: found && String(found.revision), body }, after);
  };
  return (
    <FormDialog
      title={text('settings.parametersOf', { name: project || text('project.all') })}
      fields={[
        {
          name: 'params',
          label: text('settings.parameterLines'),
          kind: 'code',
          error: pairs.wrong === undefined ? undefined : text('form.noPair', { line: pairs.wrong }),
        },
      ]}
      values={{ params: lines }}
      onChange={({ params }) => setTyped(params)}
      error={setOwn.error ?? setShared.error ?? own.error ?? shared.error}
      pending={setOwn.isPending || setShared.isPending}
      disabled={!found}
      deed={text('schedule.save')}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="dim">{text('settings.parametersNote')}</p>
    </FormDialog>
  );
}

type Environment = AnswerOf<'listEnvironments'>['environments'][number];

function Environments() {
  const text = useText();
  const query = useApi('listEnvironments', {}, { every: EVERY });
  const remove = useAction('deleteEnvironment', ['listEnvironments']);
  return (
    <ManagedTable
      title={text('settings.environments')}
      query={query}
      rows={query.data?.environments}
      nameOf={({ name }) => name}
      none={text('settings.noEnvironments')}
      command="orrery environments set prod --variable REGION=eu"
      create={text('settings.newEnvironment')}
      may={useRight('setEnvironment')}
      columns={[
        { label: text('settings.name'), head: true, cell: ({ name }) => name },
        { label: text('settings.description'), cell: ({ description }) => description },
        { label: text('settings.variables'), cell: ({ variables }) => Object.keys(variables).join(', ') },
        {
          label: text('groups.workers'),
          cell: ({ workerGroups }) => workerGroups.join(', ') || text('settings.allGroups'),
        },
        {
          label: text('settings.projects'),
          cell: ({ projects }) => projects.join(', ') || text('project.all'),
        },
        { label: text('settings.changed'), cell: ({ changedAt }) => <Time at={changedAt} /> },
      ]}
      form={(one, onClose) => <EditEnvironment environment={one} onClose={onClose} />}
      remove={{
        note: text('settings.deleteNote'),
        action: remove,
        run: ({ name }, after) => remove.mutate({ name }, after),
      }}
    />
  );
}

function EditEnvironment({ environment, onClose }: { environment: Environment | null; onClose(): void }) {
  const text = useText();
  const [values, setValues] = useState({
    name: environment?.name ?? '',
    description: environment?.description ?? '',
    groups: environment?.workerGroups.join(', ') ?? '',
    projects: environment?.projects.join(', ') ?? '',
    variables: linesOf(environment?.variables ?? {}),
  });
  const set = useAction('setEnvironment', ['listEnvironments']);
  const pairs = pairsOf(values.variables);
  return (
    <FormDialog
      title={
        environment ? text('settings.editOf', { name: environment.name }) : text('settings.newEnvironment')
      }
      fields={[
        ...(environment ? [] : [{ name: 'name', label: text('settings.name'), required: true }]),
        { name: 'description', label: text('settings.description') },
        { name: 'groups', label: text('groups.workers'), placeholder: text('settings.allGroups') },
        { name: 'projects', label: text('settings.projects'), placeholder: text('project.all') },
        {
          name: 'variables',
          label: text('settings.variableLines'),
          kind: 'code',
          error: pairs.wrong === undefined ? undefined : text('form.noPair', { line: pairs.wrong }),
        },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      error={set.error}
      pending={set.isPending}
      deed={text('schedule.save')}
      onSubmit={() =>
        set.mutate(
          {
            name: values.name,
            ifMatch: String(environment?.revision ?? 0),
            body: {
              description: values.description,
              variables: pairs.values,
              workerGroups: namesOf(values.groups),
              projects: namesOf(values.projects),
            },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    />
  );
}

/** Names alone: the values are with the workers, and no page or request ever shows one. */
function Secrets() {
  const text = useText();
  const query = useApi('listSecrets', {}, { every: EVERY });
  const secrets = query.data?.secrets ?? [];
  return (
    <Section title={text('settings.secrets')} query={query}>
      <p className="dim">{text('settings.secretsNote')}</p>
      {secrets.length === 0 && <p>{text('settings.noSecrets')}</p>}
      {secrets.length > 0 && (
        <Table
          label={text('settings.secrets')}
          rows={secrets}
          keyOf={({ name }) => name}
          columns={[
            { label: text('settings.name'), head: true, cell: ({ name }) => <code>{name}</code> },
            {
              label: text('nav.workflows'),
              cell: ({ workflows, workflow }) =>
                workflow !== null && text('settings.workflowAnd', { workflow, more: workflows - 1 }),
            },
            { label: text('settings.environments'), cell: ({ environments }) => environments.join(', ') },
            { label: text('settings.connections'), cell: ({ connections }) => connections.join(', ') },
            { label: text('alerts.channels'), cell: ({ channels }) => channels.join(', ') },
            { label: text('settings.used'), cell: ({ usedAt }) => <Time at={usedAt} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Retention() {
  const text = useText();
  return <SettingsTable title={text('settings.retention')} only={/retention|keep/i} />;
}

function Config() {
  const text = useText();
  return <SettingsTable title={text('settings.config')} />;
}

/** What takes effect, with where it comes from; it is changed there. */
function SettingsTable({ title, only }: { title: string; only?: RegExp }) {
  const text = useText();
  const query = useApi('showConfig', {}, { every: EVERY });
  const rows = (query.data?.settings ?? []).filter(({ name }) => !only || only.test(name));
  return (
    <Section title={title} query={query}>
      {rows.length === 0 && <p className="dim">{text('settings.noSuch')}</p>}
      {rows.length > 0 && (
        <Table
          label={title}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { label: text('settings.name'), head: true, cell: ({ name }) => <code>{name}</code> },
            {
              label: text('settings.value'),
              cell: ({ value, secret }) =>
                secret ? (
                  <span className="dim">{text('settings.secret')}</span>
                ) : (
                  <code>{JSON.stringify(value)}</code>
                ),
            },
            { label: text('workflow.source'), cell: ({ source }) => source },
          ]}
        />
      )}
    </Section>
  );
}

function Plugins() {
  const text = useText();
  const query = useApi('listTaskTypes', {}, { every: EVERY });
  return (
    <Section title={text('settings.plugins')} query={query}>
      {query.data?.taskTypes.map(({ name, title, description, schema }) => (
        <details key={name}>
          <summary>
            <strong>{title ?? name}</strong> <code>{name}</code> {description}
          </summary>
          {schema && <JsonView label={text('settings.schemaOf', { name })} value={schema} />}
        </details>
      ))}
    </Section>
  );
}
