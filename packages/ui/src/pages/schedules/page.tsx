/** Schedules: what will fire, what fired, what did not and why? As a list, a calendar, the load to come, a cron explained. */
import { Button } from '@mantine/core';
import { useMatch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { runAddress, scheduleAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { formatQuery } from '../../app/search-fields.ts';
import { useApi } from '../../data/api.ts';
import type { AnswerOf } from '../../data/client.ts';
import { useTellCurrent, useTellSame } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import { commandLine } from '../../model/command-line.ts';
import { duration } from '../../model/time.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { later } from '../../parts/later.tsx';
import { ListBody } from '../../parts/list/list-body.tsx';
import { useList, usePagedRows } from '../../parts/list/use-list.ts';
import type { Column } from '../../parts/list/virtual-list.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { useScheduleWords } from '../../parts/schedule-when.ts';
import { StateBadge, StateIcon } from '../../parts/state-badge.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { useScheduleActions } from '../schedule/use-schedule-actions.tsx';
import style from './schedules.module.css';
import { type filterFields, useSchedulesSearch } from './search.ts';

const Calendar = later('calendar', async () => (await import('./calendar.tsx')).Calendar);
const Calendars = later('calendars', async () => (await import('./calendars.tsx')).Calendars);
const Load = later('load', async () => (await import('./load.tsx')).Load);
const Explain = later('explain', async () => (await import('./explain.tsx')).Explain);

const views = {
  '': 'schedules.list',
  calendar: 'schedules.calendar',
  load: 'schedules.load',
  calendars: 'schedules.calendars',
  explain: 'schedules.explain',
} as const;

type View = keyof typeof views;

/** What each view can be narrowed to. */
const shownFilters: Readonly<Record<View, readonly string[]>> = {
  '': ['workflow', 'state', 'project'],
  calendar: ['workflow', 'project'],
  load: ['workflow', 'project'],
  calendars: ['project'],
  explain: [],
};

export function Page() {
  const { text } = useLanguage();
  const view = useMatch({
    strict: false,
    select: ({ pathname }) =>
      (/\/schedules\/(calendar|load|calendars|explain)\/?$/.exec(pathname)?.[1] ?? '') as View,
  });
  const [search, setSearch] = useSchedulesSearch();
  const { project, workflow } = search;
  const query = formatQuery({ project, workflow });
  const words = {
    workflow: 'schedules.workflow',
    state: 'schedules.state',
    project: 'workflows.project',
  } as const;
  const { data: me } = useApi('showMe', {});
  const filters: readonly FilterField[] = (['workflow', 'state', 'project'] as const).map((name) => ({
    name,
    label: text(words[name]),
    values: name === 'state' ? ['on', 'paused'] : name === 'project' ? me?.projects : undefined,
  }));
  return (
    <Frame
      title={text('nav.schedules')}
      crumbs={[{ label: text('nav.schedules') }]}
      fixed={view === ''}
      lines={
        <>
          <Tabs
            label={text('schedules.views')}
            current={view}
            tabs={(Object.keys(views) as View[]).map((name) => ({
              name,
              label: text(views[name]),
              to: `/schedules${name && `/${name}`}${name === 'explain' ? '' : query}`,
            }))}
          />
          {view !== 'explain' && (
            <FilterBar
              fields={filters.filter(({ name }) => shownFilters[view].includes(name))}
              textField={view === 'calendars' ? 'project' : 'workflow'}
              search={search}
              onChange={(change) => setSearch(change)}
            />
          )}
        </>
      }
    >
      {view === '' && <ScheduleList filters={filters} />}
      {view === 'calendar' && <Calendar />}
      {view === 'load' && <Load />}
      {view === 'calendars' && <Calendars />}
      {view === 'explain' && <Explain />}
    </Frame>
  );
}

type Schedule = AnswerOf<'listSchedules'>['schedules'][number];

const idOf = ({ id }: Schedule) => String(id);
const nameOf = ({ project, workflow, name }: Schedule) => `${project}/${workflow} ${name}`;

function ScheduleList({ filters }: { filters: readonly FilterField[] }) {
  const { text, units } = useLanguage();
  const go = useGo();
  const words = useScheduleWords();
  const [search, setSearch] = useSchedulesSearch();
  const { project, workflow, state } = search;
  const input = useMemo(
    () => ({ project, workflow, state, include: ['recent'] as const }),
    [project, workflow, state],
  );
  const source = usePagedRows('listSchedules', input, ({ schedules }) => schedules);
  const list = useList(source, { idOf, onOpen: ({ id }) => go(scheduleAddress(id)) });
  const { current } = list;
  const actions = useScheduleActions(current);
  const filter = { project, workflow, state };
  useTellSame({
    request: `/schedules${formatQuery(filter)}`,
    command: commandLine('orrery schedules list', { workflow }),
  });
  useTellCurrent(
    current && {
      name: nameOf(current),
      address: scheduleAddress(current.id),
      request: `/schedules/${current.id}`,
    },
  );
  useKeys([
    { keys: 'n', label: text('schedules.explain'), run: () => go('/schedules/explain') },
    ...(current ? actions.keys : []),
  ]);
  const columns: readonly Column<Schedule>[] = [
    {
      id: 'state',
      label: text('schedules.state'),
      width: '84px',
      cell: (row) => <StateBadge state={stateOf(row)} />,
    },
    {
      id: 'name',
      label: text('schedules.schedule'),
      width: 'minmax(180px, 2fr)',
      cell: (row) => (
        <Link to={scheduleAddress(row.id)} tabIndex={-1} className={style.name}>
          <CutName name={`${row.project}/${row.workflow}`} />
          <span className="dim">{row.name}</span>
        </Link>
      ),
    },
    {
      id: 'when',
      label: text('schedules.when'),
      width: 'minmax(160px, 2fr)',
      cell: (row) => (
        <span className={style.cut} data-hint={words(row, true)}>
          {words(row)}
        </span>
      ),
    },
    {
      id: 'next',
      label: text('schedules.next'),
      width: '96px',
      cell: ({ nextDue, timezone }) =>
        nextDue ? <Time at={nextDue} zone={timezone} /> : <span className="dim">–</span>,
    },
    {
      id: 'last',
      label: text('schedules.last'),
      width: '132px',
      cell: ({ recent }) =>
        recent?.last ? (
          <Link to={runAddress(recent.last.run)} tabIndex={-1} className={style.last}>
            {recent.last.state && <StateIcon state={recent.last.state} />}
            <Time at={recent.last.due} />
          </Link>
        ) : (
          <span className="dim">–</span>
        ),
    },
    {
      id: 'drift',
      label: text('schedules.drift'),
      width: '132px',
      end: true,
      cell: ({ recent }) =>
        recent?.drift ? `${duration(recent.drift.p50, units)} / ${duration(recent.drift.p99, units)}` : '–',
    },
    {
      id: 'skipped',
      label: text('schedules.skipped'),
      width: '88px',
      end: true,
      cell: ({ recent }) => (recent?.skipped ? <strong>{recent.skipped}</strong> : '0'),
    },
  ];
  const set = filters.filter(({ name }) => search[name as keyof typeof filterFields] !== undefined);
  return (
    <>
      <ListBody
        list={list}
        label={text('nav.schedules')}
        columns={columns}
        nameOf={nameOf}
        set={set}
        onDrop={(names) => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        empty={
          <EmptyState title={text('schedules.none')} commands={[yamlLine]}>
            <Button variant="filled" onClick={() => go('/schedules/explain')}>
              {text('schedules.explain')}
            </Button>
          </EmptyState>
        }
      />
      {actions.question}
    </>
  );
}

/** A late schedule is not shown as simply enabled; neither is one that will never fire again. */
function stateOf({ state, late, nextDue }: Schedule): string {
  if (late !== null) return 'late';
  return state === 'on' && nextDue === null ? 'expired' : state;
}

const yamlLine = "schedules: [{ name: nightly, cron: '0 2 * * *', timezone: Asia/Shanghai }]";
