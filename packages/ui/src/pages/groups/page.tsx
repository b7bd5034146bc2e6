/** Groups and limits: which are full, and what is next in line. */
import { Button, NumberInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { nodeAddress, taskAddress, taskGroupAddress, workerGroupAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { useAction, useApi } from '../../data/api.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import { exact } from '../../model/number.ts';
import { linesOf, pairsOf } from '../../model/pairs.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FormDialog } from '../../parts/form.tsx';
import { ManagedTable } from '../../parts/managed-table.tsx';
import { Meter } from '../../parts/meter.tsx';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import styles from '../../parts/section.module.css';
import { Section } from '../../parts/section.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { WorkerChoice } from './worker-choice.tsx';

/** No live topic tells of slots. */
const EVERY = 2_000;

export function Page() {
  const text = useText();
  const { project, name } = useParams({ strict: false }) as { project?: string; name?: string };
  if (name !== undefined && project !== undefined) return <TaskGroup project={project} name={name} />;
  if (name !== undefined) return <WorkerGroup name={name} />;
  return (
    <Frame title={text('nav.groups')} crumbs={[{ label: text('nav.groups') }]}>
      <AllGroups />
    </Frame>
  );
}

/** The sections at once: one that came later would move those below it. */
function AllGroups() {
  const answers = [
    useApi('listTaskGroups', {}, { every: EVERY }),
    useApi('listNodes', {}, { every: EVERY }),
    useApi('showLimits', {}, { every: EVERY }),
  ];
  if (!answers.every(({ data, error }) => data || error))
    return (
      <div className={styles.body}>
        <SkeletonBlock height={280} />
      </div>
    );
  return (
    <div className={styles.body}>
      <TaskGroups />
      <WorkerGroups />
      <Limits />
    </div>
  );
}

function TaskGroups() {
  const { text, locale } = useLanguage();
  const query = useApi('listTaskGroups', {}, { every: EVERY });
  useTellSame({ request: '/task-groups', command: 'orrery groups list' });
  return (
    <ManagedTable
      title={text('groups.tasks')}
      query={query}
      rows={query.data?.taskGroups}
      nameOf={({ project, name }) => `${project}/${name}`}
      none={text('groups.noTasks')}
      command="orrery groups set etl/warehouse --slots 4"
      create={text('groups.new')}
      columns={[
        {
          label: text('groups.name'),
          head: true,
          cell: ({ project, name }) => (
            <Link to={taskGroupAddress(project, name)}>{`${project}/${name}`}</Link>
          ),
        },
        { label: text('groups.held'), cell: ({ held, slots }) => <Slots held={held} slots={slots} /> },
        { label: text('groups.waiting'), end: true, cell: ({ waiting }) => exact(waiting, locale) },
      ]}
      isFixed
      form={(_, onClose) => <NewTaskGroup onClose={onClose} />}
    />
  );
}

function Slots({ held, slots }: { held: number; slots: number }) {
  const text = useText();
  return <Meter held={held} slots={slots} said={text('groups.slotsOf', { held, slots })} />;
}

function NewTaskGroup({ onClose }: { onClose(): void }) {
  const text = useText();
  const go = useGo();
  const [values, setValues] = useState({ project: 'default', name: '', slots: '1' });
  const set = useAction('setTaskGroup', ['listTaskGroups', 'showTaskGroup']);
  const { project, name, slots } = values;
  return (
    <FormDialog
      title={text('groups.new')}
      fields={[
        { name: 'project', label: text('workflows.project'), required: true },
        { name: 'name', label: text('groups.name'), required: true },
        { name: 'slots', label: text('groups.slots'), kind: 'number', required: true },
      ]}
      values={values}
      onChange={(change) => setValues((now) => ({ ...now, ...change }))}
      command={`orrery groups set ${project}/${name || 'NAME'} --slots ${slots}`}
      error={set.error}
      pending={set.isPending}
      deed={text('groups.new')}
      onSubmit={() =>
        set.mutate(
          { project, name, body: { slots: Number(slots) } },
          {
            onSuccess: () => {
              onClose();
              go(taskGroupAddress(project, name));
            },
          },
        )
      }
      onClose={onClose}
    />
  );
}

/** One task group: the holders of its slots, and its queue in order. */
function TaskGroup({ project, name }: { project: string; name: string }) {
  const { text, locale } = useLanguage();
  const go = useGo();
  const full = `${project}/${name}`;
  const query = useApi('showTaskGroup', { project, name }, { every: EVERY });
  const set = useAction('setTaskGroup', ['showTaskGroup', 'listTaskGroups']);
  const remove = useAction('deleteTaskGroup', ['listTaskGroups']);
  const start = useAction('startTaskNow', ['showTaskGroup']);
  const [asked, setAsked] = useState(false);
  const { data } = query;
  const line = text('groups.line', { count: exact(data?.waiting ?? 0, locale) });
  useTellSame({ request: `/task-groups/${full}`, command: `orrery groups show ${full}` });
  const say = { onError: (error: Error) => notify(error.message, 'bad') };
  const setSlots = (slots: number) => {
    if (!data || slots === data.slots || !Number.isInteger(slots) || slots < 0) return;
    set.mutate({ project, name, body: { slots } }, say);
  };
  const taskOf = (taskRun: string) => taskRun.slice(taskRun.indexOf('.') + 1).split(':')[0];
  return (
    <Frame
      title={full}
      crumbs={[{ label: text('nav.groups'), to: '/groups' }, { label: full }]}
      actions={<Button onClick={() => setAsked(true)}>{text('groups.delete')}</Button>}
    >
      <div className={styles.body}>
        <Section title={text('groups.slots')} query={query}>
          {data && (
            <div className={styles.head}>
              <Slots held={data.held} slots={data.slots} />
              <NumberInput
                key={data.slots}
                label={text('groups.slots')}
                defaultValue={data.slots}
                min={0}
                onBlur={({ currentTarget }) => setSlots(Number(currentTarget.value))}
                onKeyDown={({ key, currentTarget }) =>
                  key === 'Enter' && setSlots(Number((currentTarget as HTMLInputElement).value))
                }
              />
            </div>
          )}
        </Section>
        {data && (
          <>
            <Section title={text('groups.holders')}>
              {data.holders.length === 0 && <p className="dim">{text('groups.noHolders')}</p>}
              {data.holders.length > 0 && (
                <Table
                  label={text('groups.holders')}
                  rows={data.holders}
                  keyOf={({ taskRun }) => taskRun}
                  columns={[
                    {
                      label: text('groups.taskRun'),
                      head: true,
                      cell: ({ taskRun }) => <Link to={taskAddress(taskRun)}>{taskRun}</Link>,
                    },
                  ]}
                />
              )}
            </Section>
            <Section title={line}>
              {data.waiters.length < data.waiting && (
                <p className="dim">{text('groups.firstOfLine', { count: data.waiters.length })}</p>
              )}
              {data.waiters.length === 0 && <p className="dim">{text('groups.noLine')}</p>}
              {data.waiters.length > 0 && (
                <Table
                  label={line}
                  rows={data.waiters}
                  keyOf={({ taskRun, attempt }) => `${taskRun} ${attempt}`}
                  columns={[
                    { label: '#', tight: true, cell: (row) => data.waiters.indexOf(row) + 1 },
                    {
                      label: text('groups.taskRun'),
                      head: true,
                      cell: ({ taskRun }) => <Link to={taskAddress(taskRun)}>{taskRun}</Link>,
                    },
                    { label: text('groups.since'), cell: ({ since }) => <Time at={since} /> },
                    {
                      label: '',
                      tight: true,
                      cell: ({ run, taskRun }) => (
                        <Button
                          size="compact-xs"
                          aria-label={`${text('run.startNow')}: ${taskRun}`}
                          onClick={() => start.mutate({ id: run, body: { task: taskOf(taskRun) } }, say)}
                        >
                          {text('run.startNow')}
                        </Button>
                      ),
                    },
                  ]}
                />
              )}
            </Section>
          </>
        )}
      </div>
      {asked && (
        <Confirm
          title={text('groups.deleteTitle', { name: full })}
          deed={text('groups.delete')}
          danger
          pending={remove.isPending}
          onConfirm={() =>
            remove.mutate(
              { project, name },
              {
                onSuccess: () => go('/groups'),
                onError: (error) => {
                  setAsked(false);
                  notify(error.message, 'bad');
                },
              },
            )
          }
          onClose={() => setAsked(false)}
        >
          <p>{text('groups.deleteNote')}</p>
        </Confirm>
      )}
    </Frame>
  );
}

function useWorkerGroups() {
  const query = useApi('listNodes', {}, { every: EVERY });
  const workers = query.data?.workers ?? [];
  const names = [...new Set(workers.flatMap(({ groups }) => groups))].sort();
  const groups = names.map((name) => {
    const members = workers.filter(({ groups: of }) => of.includes(name));
    const alive = members.filter(({ state }) => state === 'alive');
    const sum = (of: 'slots' | 'used') => alive.reduce((total, one) => total + one[of], 0);
    return { name, members, alive: alive.length, slots: sum('slots'), used: sum('used') };
  });
  return { query, groups };
}

function WorkerGroups() {
  const text = useText();
  const { query, groups } = useWorkerGroups();
  return (
    <Section title={text('groups.workers')} query={query}>
      {groups.length === 0 && (
        <EmptyState title={text('groups.noWorkers')} commands={['orrery server --role worker --group gpu']} />
      )}
      {groups.length > 0 && (
        <Table
          label={text('groups.workers')}
          rows={groups}
          keyOf={({ name }) => name}
          columns={[
            {
              label: text('groups.name'),
              head: true,
              cell: ({ name }) => <Link to={workerGroupAddress(name)}>{name}</Link>,
            },
            {
              label: text('groups.members'),
              cell: ({ alive, members }) => text('groups.aliveOf', { alive, all: members.length }),
            },
            { label: text('groups.held'), cell: ({ used, slots }) => <Slots held={used} slots={slots} /> },
          ]}
        />
      )}
    </Section>
  );
}

function WorkerGroup({ name }: { name: string }) {
  const text = useText();
  const { query, groups } = useWorkerGroups();
  const group = groups.find((one) => one.name === name);
  useTellSame({ request: '/nodes', command: 'orrery nodes list' });
  return (
    <Frame title={name} crumbs={[{ label: text('nav.groups'), to: '/groups' }, { label: name }]}>
      <div className={styles.body}>
        <WorkerChoice name={name} />
        <Section title={text('groups.members')} query={query}>
          {!group && (
            <EmptyState
              title={text('groups.nobody', { name })}
              commands={[`orrery server --role worker --group ${name}`]}
            />
          )}
          {group && (
            <Table
              label={text('groups.members')}
              rows={group.members}
              keyOf={({ id }) => id}
              columns={[
                {
                  label: text('cluster.node'),
                  head: true,
                  cell: ({ id }) => <Link to={nodeAddress(id)}>{id}</Link>,
                },
                { label: text('schedules.state'), cell: ({ state }) => <StateBadge state={state} /> },
                {
                  label: text('groups.held'),
                  cell: ({ used, slots }) => <Slots held={used} slots={slots} />,
                },
                { label: text('cluster.beat'), cell: ({ beatAt }) => <Time at={beatAt} /> },
              ]}
            />
          )}
        </Section>
      </div>
    </Frame>
  );
}

interface Cap {
  readonly name: string | null;
  readonly runs: number | null;
  readonly held: number;
  readonly waiting: number;
  readonly weight?: number;
}

function Limits() {
  const { text, locale } = useLanguage();
  const [open, setOpen] = useState(false);
  const query = useApi('showLimits', {}, { every: EVERY });
  const rows: readonly Cap[] = query.data ? [{ name: null, ...query.data.all }, ...query.data.tenants] : [];
  return (
    <Section
      title={text('groups.limits')}
      query={query}
      actions={<Button onClick={() => setOpen(true)}>{text('groups.setLimits')}</Button>}
    >
      <Table
        label={text('groups.limits')}
        rows={rows}
        keyOf={({ name }) => name ?? ' '}
        columns={[
          { label: text('groups.tenant'), head: true, cell: ({ name }) => name ?? text('groups.everyone') },
          {
            label: text('groups.open'),
            cell: ({ held, runs }) => (runs === null ? text('groups.noCap') : `${held} / ${runs}`),
          },
          { label: text('groups.waiting'), end: true, cell: ({ waiting }) => exact(waiting, locale) },
          { label: text('groups.weight'), end: true, cell: ({ weight }) => weight ?? '' },
        ]}
      />
      {open && query.data && (
        <SetLimits caps={rows} revision={query.data.revision} onClose={() => setOpen(false)} />
      )}
    </Section>
  );
}

function SetLimits({ caps, revision, onClose }: { caps: readonly Cap[]; revision: number; onClose(): void }) {
  const text = useText();
  const written = (cap: Cap) =>
    [cap.runs ?? '', ...(cap.weight === undefined || cap.weight === 1 ? [] : [cap.weight])].join(' ');
  const [values, setValues] = useState({
    runs: String(caps[0]?.runs ?? ''),
    tenants: linesOf(Object.fromEntries(caps.slice(1).map((cap) => [cap.name ?? '', written(cap)]))),
  });
  const set = useAction('setLimits', ['showLimits']);
  const pairs = pairsOf(values.tenants);
  const number = (value: string | undefined) => (value ? Number(value) : null);
  const tenants = Object.fromEntries(
    Object.entries(pairs.values).map(([name, value]) => {
      const [runs, weight] = value.trim().split(/\s+/);
      return [name, { runs: number(runs), ...(weight && { weight: Number(weight) }) }];
    }),
  );
  return (
    <FormDialog
      title={text('groups.setLimits')}
      fields={[
        {
          name: 'runs',
          label: text('groups.everyoneCap'),
          kind: 'number',
          placeholder: text('groups.noCap'),
        },
        {
          name: 'tenants',
          label: text('groups.tenantCaps'),
          kind: 'pairs',
          placeholder: 'billing=20 2',
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
          { ifMatch: String(revision), body: { runs: number(values.runs), tenants } },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    />
  );
}
