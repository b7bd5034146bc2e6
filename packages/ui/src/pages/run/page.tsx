/** A run: what happened, what it waits for, and what can be done. One model, three views, one task beside them. */
import { SegmentedControl, Switch, TextInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { runAddress, runsAddress } from '../../app/addresses.ts';
import { Link, useGo } from '../../app/link.tsx';
import { useSearch } from '../../app/use-search.ts';
import { call } from '../../data/client.ts';
import { useNow } from '../../data/clock.ts';
import { besideOnTrail } from '../../data/trail.ts';
import { useLanguage } from '../../i18n/text.tsx';
import type { AgainMode } from '../../model/again.ts';
import { percent } from '../../model/number.ts';
import { criticalPath, openingTask, type RunTasks, timesOf } from '../../model/run.ts';
import { lookOf } from '../../model/state.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { SkeletonBlock } from '../../parts/skeleton.tsx';
import { StateIcon, useStateWord } from '../../parts/state-badge.tsx';
import { RunDialog } from '../workflows/run-dialog.tsx';
import { AgainPanel } from './again-panel.tsx';
import { ControlQuestion, type Question } from './controls.tsx';
import style from './run.module.css';
import { RunGraph, type RunViewProps } from './run-graph.tsx';
import { RunActions, RunHeading, RunLines } from './run-head.tsx';
import { runFields, runViews } from './run-search.ts';
import { RunTable } from './run-table.tsx';
import { RunTimeline } from './run-timeline.tsx';
import { logAddress, TaskInspector } from './task-inspector.tsx';
import { useAttempts, useRun } from './use-run.ts';
import { viewWords } from './words.ts';

/** Runs with more tasks than this open as a table. */
const TABLE_ABOVE = 20_000;

export function Page() {
  const { run: given } = useParams({ strict: false }) as { run: string };
  const id = /^[1-9]\d{0,14}$/.test(given) ? Number(given) : 0;
  return id === 0 ? <NoRun id={given} /> : <RunPage key={id} id={id} />;
}

function RunPage({ id }: { id: number }) {
  const { text } = useLanguage();
  const go = useGo();
  const now = useNow();
  const [search, setSearch] = useSearch(runFields);
  const { run, tasks, error, retry } = useRun(id);
  const [question, setQuestion] = useState<Question>();
  const [marked, setMarked] = useState<ReadonlySet<number> | null>(null);
  const narrow = useNarrow();
  const view = search.view ?? (tasks.tasks.length > TABLE_ABOVE || narrow ? 'table' : 'graph');
  const current = search.task === undefined ? -1 : (tasks.byName.get(search.task) ?? -1);
  const task = tasks.tasks[current];
  const opening = useMemo(() => openingTask(tasks), [tasks]);
  const found = useFound(tasks, search.q, search.state);
  const path = useMemo(() => (search.path === 'on' ? criticalPath(tasks) : []), [tasks, search.path]);
  const attempts = useAttempts(id, tasks, view === 'timeline');

  // A failed run opens on what failed, with the end of its log; once, so that closing it is respected.
  const opened = useRef(false);
  useEffect(() => {
    if (opened.current || tasks.tasks.length === 0) return;
    opened.current = true;
    if (search.task === undefined && search.again === undefined && opening?.state === 'failed' && !narrow)
      setSearch({ task: opening.name });
  });

  const pick = useCallback(
    (name: string | undefined, push = false) => setSearch({ task: name }, { push }),
    [setSearch],
  );
  const again = (mode: AgainMode | undefined) => setSearch({ again: mode }, { push: mode !== undefined });
  const openLog = (index: number) => {
    const { id: taskRun, name, attempt } = tasks.tasks[index];
    // A task that started a run leads to that run; any other to what it printed.
    const child = run?.children.find(({ task: parent }) => parent === name);
    if (child) go(runAddress(child.id));
    else if (attempt > 0) go(logAddress(taskRun, { shard: null, number: attempt }));
    else pick(name);
  };
  const finder = useRef<HTMLInputElement>(null);
  useKeys([
    {
      keys: 'v',
      label: text('run.key.view'),
      run: () => setSearch({ view: runViews[(runViews.indexOf(view) + 1) % runViews.length] }),
    },
    { keys: '/', label: text('run.key.find'), run: () => finder.current?.focus() },
    ...([-1, 1] as const).map((by) => {
      const other = besideOnTrail(id, by);
      return {
        keys: by < 0 ? '[' : ']',
        label: text(by < 0 ? 'run.key.previous' : 'run.key.next'),
        refused: other === undefined ? text('run.noNeighbour') : undefined,
        run: () => other !== undefined && go(runAddress(other)),
      };
    }),
    {
      keys: 'w',
      label: text('run.key.why'),
      run: () => void sayWhy(task?.id ?? String(id)),
    },
    {
      keys: 'l',
      label: text('run.key.log'),
      refused: current < 0 ? text('run.pickTask') : undefined,
      run: () => openLog(current),
    },
  ]);

  if (error && !run) return <NoRun id={String(id)} error={error} retry={retry} />;
  const views: RunViewProps = {
    run: tasks,
    now,
    current,
    opening: opening?.index ?? -1,
    marked,
    found,
    path,
    onCurrent: (task) => pick(tasks.tasks[task]?.name),
    onOpen: openLog,
  };
  return (
    <Frame
      fixed
      title={
        run
          ? text('run.heading', { workflow: `${run.project}/${run.name}`, version: run.version, id })
          : text('run.title', { id })
      }
      heading={run && <RunHeading run={run} />}
      crumbs={[
        { label: text('run.toList'), to: runsAddress() },
        ...(run ? [{ label: run.name, to: runsAddress({ workflow: `${run.project}/${run.name}` }) }] : []),
        { label: String(id) },
      ]}
      actions={
        run && (
          <RunActions
            run={run}
            task={task?.name}
            onAgain={again}
            onAsk={setQuestion}
            onReplay={() => setSearch({ replay: 'on' }, { push: true })}
          />
        )
      }
      lines={
        run && (
          <>
            <RunLines run={run} onTask={pick} />
            <div className={style.tools}>
              <SegmentedControl
                size="xs"
                aria-label={text('run.view')}
                value={view}
                onChange={(next) => setSearch({ view: next as typeof view })}
                data={runViews.map((one) => ({ value: one, label: text(viewWords[one]) }))}
              />
              <TextInput
                ref={finder}
                size="xs"
                className={style.find}
                aria-label={text('run.find')}
                placeholder={text('run.find')}
                value={search.q ?? ''}
                onChange={(event) => setSearch({ q: event.currentTarget.value || undefined })}
                onKeyDown={(event) => event.key === 'Escape' && finder.current?.blur()}
              />
              <StateCounts
                tasks={tasks}
                chosen={search.state ?? []}
                onChoose={(state) => setSearch({ state })}
              />
              <PathSwitch
                tasks={tasks}
                path={path}
                on={search.path === 'on'}
                onSwitch={(on) => setSearch({ path: on ? 'on' : undefined })}
              />
            </div>
          </>
        )
      }
      inspector={
        search.again !== undefined && run ? (
          <AgainPanel
            run={id}
            tasks={tasks}
            mode={search.again}
            task={task?.name}
            onMode={(mode) => setSearch({ again: mode })}
            onMarked={setMarked}
            onClose={() => again(undefined)}
          />
        ) : (
          task &&
          run && (
            <TaskInspector
              key={task.id}
              run={run}
              task={task}
              now={now}
              tab={search.tab ?? 'overview'}
              onTab={(tab) => setSearch({ tab: tab === 'overview' ? undefined : tab })}
              onTask={(name) => pick(name)}
              onAgain={again}
              onAsk={setQuestion}
              onClose={() => pick(undefined)}
            />
          )
        )
      }
    >
      {!run || (tasks.tasks.length === 0 && run.ahead === null) ? (
        <SkeletonBlock height={320} />
      ) : run.ahead !== null ? (
        <EmptyState title={text('run.queuedTitle', { ahead: run.ahead })} />
      ) : view === 'graph' ? (
        <RunGraph {...views} />
      ) : view === 'timeline' ? (
        <RunTimeline
          {...views}
          attempts={attempts}
          range={search.t ?? null}
          onRange={(range) => setSearch({ t: range ?? undefined })}
        />
      ) : (
        <RunTable {...views} />
      )}
      {search.replay === 'on' && run && (
        <RunDialog
          workflow={`${run.project}/${run.name}`}
          given={{ params: run.params, businessTime: run.businessTime }}
          onClose={() => setSearch({ replay: undefined })}
        />
      )}
      {question && run && (
        <ControlQuestion
          question={question}
          run={run}
          tasks={tasks}
          task={task}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </Frame>
  );
}

/** Says why something is where it is, in the words of `orrery why`. */
async function sayWhy(id: string): Promise<void> {
  try {
    const { why, frees } = await call('explain', { id });
    notify(`${id}: ${why}${frees === null ? '' : ` · ${frees}`}`);
  } catch (error) {
    notify(String(error), 'bad');
  }
}

/** How many tasks are in which state; pressed, only those are looked at. */
function StateCounts(props: {
  tasks: RunTasks;
  chosen: readonly string[];
  onChoose: (states: string | undefined) => void;
}) {
  const { tasks, chosen, onChoose } = props;
  const { text } = useLanguage();
  const word = useStateWord();
  const counts = Object.entries(tasks.counts).sort(([a], [b]) =>
    lookOf(a).family.localeCompare(lookOf(b).family),
  );
  return (
    <div className={style.counts}>
      {counts.map(([state, count]) => {
        const pressed = chosen.includes(state);
        const next = pressed ? chosen.filter((one) => one !== state) : [...chosen, state];
        return (
          <button
            key={state}
            type="button"
            className={style.count}
            aria-pressed={pressed}
            data-hint={text('run.filter', { state: word(state) })}
            onClick={() => onChoose(next.length > 0 ? next.join(',') : undefined)}
          >
            <StateIcon state={state} size={12} />
            {word(state)} {count}
          </button>
        );
      })}
    </div>
  );
}

function PathSwitch(props: {
  tasks: RunTasks;
  path: readonly number[];
  on: boolean;
  onSwitch: (on: boolean) => void;
}) {
  const { tasks, path, on, onSwitch } = props;
  const { text, locale } = useLanguage();
  const sums = path.map((i) => timesOf(tasks.tasks[i], 0));
  const waited = sums.reduce((sum, times) => sum + (times.waited ?? 0), 0);
  const ran = sums.reduce((sum, times) => sum + (times.ran ?? 0), 0);
  const label =
    on && path.length > 0
      ? text('run.pathShare', {
          tasks: path.length,
          share: percent(waited / Math.max(waited + ran, 1), locale),
        })
      : text('run.path');
  return <Switch size="xs" label={label} checked={on} onChange={() => onSwitch(!on)} />;
}

/** Tasks that are looked for by name, type or reason, or by state. */
function useFound(
  tasks: RunTasks,
  find: string | undefined,
  states: readonly string[] | undefined,
): ReadonlySet<number> | null {
  return useMemo(() => {
    if (find === undefined && states === undefined) return null;
    const wanted = find?.toLowerCase() ?? '';
    return new Set(
      tasks.tasks.flatMap(({ index, name, type, reason, state }) =>
        (states === undefined || states.includes(state)) &&
        `${name} ${type} ${reason ?? ''}`.toLowerCase().includes(wanted)
          ? [index]
          : [],
      ),
    );
  }, [tasks, find, states]);
}

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia('(width < 600px)').matches);
  useEffect(() => {
    const query = matchMedia('(width < 600px)');
    const changed = () => setNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return narrow;
}

/** No such run, or none any more. */
function NoRun({ id, error, retry }: { id: string; error?: Error; retry?: () => void }) {
  const { text } = useLanguage();
  return (
    <Frame
      title={text('run.title', { id })}
      crumbs={[{ label: text('run.toList'), to: runsAddress() }, { label: id }]}
    >
      {error && <ErrorPanel error={error} retry={retry} />}
      <EmptyState title={text('run.gone', { id })}>
        <p className="dim">{text('run.goneWhy')}</p>
        <Link to={runsAddress()}>{text('run.toList')}</Link>
      </EmptyState>
    </Frame>
  );
}
