/** A run: what happened, what it waits for, and what can be done. One model, three views, one task beside them. */
import { SegmentedControl, TextInput } from '@mantine/core';
import { ApiProblem } from '@orrery/sdk/client';
import { useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { runAddress, runsAddress, workflowAddress } from '../../app/addresses.ts';
import { useGo } from '../../app/link.tsx';
import { useSearch } from '../../app/use-search.ts';
import { call } from '../../data/client.ts';
import { useNow } from '../../data/clock.ts';
import { useTellSame } from '../../data/same-as.ts';
import { useLanguage } from '../../i18n/text.tsx';
import type { AgainMode } from '../../model/again.ts';
import { criticalPath, openingTask } from '../../model/run.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { later } from '../../parts/later.tsx';
import { notify } from '../../parts/notices.tsx';
import { Page as Frame } from '../../parts/page.tsx';
import { useTyping } from '../../parts/use-typing.ts';
import { versionText } from '../../parts/version-text.ts';
import { ControlQuestion } from './controls.tsx';
import { logAddress } from './log-address.ts';
import { NoRun } from './no-run.tsx';
import style from './run.module.css';
import { RunGraph, type RunViewProps } from './run-graph.tsx';
import { RunActions, RunHeading } from './run-head.tsx';
import { Failure, RunLines } from './run-lines.tsx';
import { type Question, runFields, runViews } from './run-search.ts';
import { ActionsSkeleton, LinesSkeleton, ViewSkeleton } from './run-skeleton.tsx';
import { RunSteps } from './run-steps.tsx';
import { RunTable } from './run-table.tsx';
import { PathSwitch, StateCounts } from './run-tools.tsx';
import { TaskInspector } from './task-inspector.tsx';
import { useFound } from './use-found.ts';
import { useAttempts, useRun } from './use-run.ts';
import { viewWords } from './words.ts';

const RunTimeline = later('run-timeline', async () => (await import('./run-timeline.tsx')).RunTimeline);
const AgainPanel = later('again-panel', async () => (await import('./again-panel.tsx')).AgainPanel);
const HistoryPanel = later('history-panel', async () => (await import('./history-panel.tsx')).HistoryPanel);
const ReplayDialog = later('replay-dialog', async () => (await import('./replay-dialog.tsx')).ReplayDialog);
/** They are loaded some time after the page, so that they open even if the server is away by then. */
const AT_HAND_AFTER = 1_000;

/** Runs with more tasks than this open as a table. */
const TABLE_ABOVE = 20_000;

/** Tasks that are picked sooner after each other than this are walked past, in milliseconds. */
const WALKING = 1_000;

export function Page() {
  const { run: given } = useParams({ strict: false }) as { run: string };
  const id = /^[1-9]\d{0,14}$/.test(given) ? Number(given) : 0;
  return id === 0 ? <NoRun id={given} /> : <RunPage key={id} id={id} />;
}

function RunPage({ id }: { id: number }) {
  const { text, reason } = useLanguage();
  const go = useGo();
  const now = useNow();
  const [search, setSearch] = useSearch(runFields);
  const { run, tasks, error, tasksError, retry } = useRun(id);
  const [marked, setMarked] = useState<ReadonlySet<number> | null>(null);
  const narrow = useNarrow();
  // Known before the tasks are: a run that will be shown as a table does not start as a graph.
  const size = Math.max(run?.progress.total ?? 0, tasks.tasks.length);
  const view = search.view ?? (size > TABLE_ABOVE || narrow ? 'table' : 'graph');
  const current = search.task === undefined ? -1 : (tasks.byName.get(search.task) ?? -1);
  const task = tasks.tasks[current];
  const opening = useMemo(() => openingTask(tasks), [tasks]);
  // On a screen without room for the failed task beside the others, it comes first.
  const failureFirst = narrow && run?.state === 'failed' && run.failed !== null;
  const found = useFound(tasks, search.q, search.state);
  const path = useMemo(() => (search.path === 'on' ? criticalPath(tasks) : []), [tasks, search.path]);
  const history = useAttempts(id, tasks, view === 'timeline');

  // A failed run opens on what failed, with the end of its log; once, so that closing it is respected.
  const opened = useRef(false);
  useEffect(() => {
    if (opened.current || tasks.tasks.length === 0) return;
    opened.current = true;
    const asked = search.task ?? search.again ?? search.history;
    if (asked === undefined && opening?.state === 'failed' && !narrow) setSearch({ task: opening.name });
  });

  useEffect(() => {
    const timer = setTimeout(() => {
      for (const part of [RunTimeline, AgainPanel, HistoryPanel, ReplayDialog]) part.load().catch(() => {});
    }, AT_HAND_AFTER);
    return () => clearTimeout(timer);
  }, []);

  const ask = (question: Question | undefined) =>
    setSearch({ ask: question }, { push: question !== undefined });
  // Back goes to the task before; those that one only walked past leave nothing to go back to.
  const picked = useRef(Number.NEGATIVE_INFINITY);
  const pick = useCallback(
    (name: string | undefined) => {
      if (name === search.task && search.history === undefined) return;
      const push = performance.now() - picked.current > WALKING;
      picked.current = performance.now();
      setSearch({ task: name, history: undefined }, { push });
    },
    [setSearch, search.task, search.history],
  );
  const fold = (opened: readonly string[]) => {
    // Pressing the mark of a row also selects the row: one step for Back.
    picked.current = performance.now();
    setSearch({ open: opened.length > 0 ? opened : undefined }, { push: true });
  };
  const again = (mode: AgainMode | undefined) => setSearch({ again: mode }, { push: mode !== undefined });
  const openLog = (index: number) => {
    const { id: taskRun, name, attempt, state } = tasks.tasks[index];
    // A task that started a run leads to that run; any other to what it printed.
    const child = run?.children.find(({ task: parent }) => parent === name);
    if (child) go(runAddress(child.id));
    else if (attempt > 0) go(logAddress(taskRun, { shard: null, number: attempt, state }));
    else pick(name);
  };
  const finder = useRef<HTMLInputElement>(null);
  useTellSame({ request: `/runs/${id}`, command: `orrery runs show ${id}` });
  const typing = useTyping(search.q ?? '', (q) => setSearch({ q: q || undefined }));
  useKeys([
    {
      keys: 'v',
      label: text('run.key.view'),
      run: () =>
        setSearch({ view: runViews[(runViews.indexOf(view) + 1) % runViews.length] }, { push: true }),
    },
    { keys: '/', label: text('run.key.find'), run: () => finder.current?.focus() },
    {
      keys: 'w',
      label: text('run.key.why'),
      run: () => void sayWhy(task?.id ?? String(id), reason),
    },
    {
      keys: 'l',
      label: text('run.key.log'),
      refused: current < 0 ? text('run.pickTask') : undefined,
      run: () => openLog(current),
    },
  ]);

  if (error && (!run || isMissing(error))) return <NoRun id={String(id)} error={error} retry={retry} />;
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
          ? text('run.heading', {
              workflow: `${run.project}/${run.name}`,
              version: versionText(text, run.version),
              id,
            })
          : text('run.title', { id })
      }
      heading={run && <RunHeading run={run} />}
      crumbs={[
        { label: text('run.toList'), to: runsAddress() },
        ...(run ? [{ label: run.name, to: workflowAddress(run.project, run.name) }] : []),
        { label: String(id) },
      ]}
      steps={<RunSteps id={id} />}
      first={run && failureFirst && <Failure run={run} tasks={tasks} onTask={pick} />}
      actions={
        run ? (
          <RunActions
            run={run}
            task={task?.name}
            onAgain={again}
            onAsk={ask}
            onHistory={() => setSearch({ history: search.history ? undefined : 'on' })}
            onReplay={() => setSearch({ replay: 'same' }, { push: true })}
          />
        ) : (
          <ActionsSkeleton />
        )
      }
      lines={
        run ? (
          <>
            <RunLines run={run} tasks={tasks} onTask={pick} outcomeAbove={failureFirst} />
            <div className={style.tools}>
              <SegmentedControl
                size="xs"
                aria-label={text('run.view')}
                value={view}
                onChange={(next) => setSearch({ view: next as typeof view }, { push: true })}
                data={runViews.map((one) => ({ value: one, label: text(viewWords[one]) }))}
              />
              <TextInput
                ref={finder}
                size="xs"
                className={style.find}
                aria-label={text('run.find')}
                placeholder={text('run.find')}
                {...typing}
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
        ) : (
          <LinesSkeleton />
        )
      }
      inspector={
        search.again !== undefined && run ? (
          <AgainPanel
            run={id}
            actions={run.actions}
            tasks={tasks}
            mode={search.again}
            task={task?.name}
            onMode={(mode) => setSearch({ again: mode })}
            onMarked={setMarked}
            onReplay={(part) => setSearch({ again: undefined, replay: 'same', part }, { push: true })}
            onClose={() => again(undefined)}
          />
        ) : search.history !== undefined && run ? (
          <HistoryPanel run={id} onTask={pick} onClose={() => setSearch({ history: undefined })} />
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
              onAsk={ask}
              onClose={() => pick(undefined)}
            />
          )
        )
      }
    >
      {view === 'timeline' && history.error && <ErrorPanel error={history.error} retry={history.retry} />}
      {run && tasksError && tasks.tasks.length === 0 ? (
        <ErrorPanel error={tasksError} retry={retry} />
      ) : !run || (tasks.tasks.length === 0 && run.ahead === null) ? (
        <ViewSkeleton view={view} />
      ) : run.ahead !== null ? (
        <EmptyState title={text('run.queuedTitle', { ahead: run.ahead })} />
      ) : view === 'graph' ? (
        <RunGraph {...views} />
      ) : view === 'timeline' ? (
        <RunTimeline
          {...views}
          id={id}
          attempts={history.attempts}
          range={search.t ?? null}
          onRange={(range) => setSearch({ t: range ?? undefined })}
          opened={search.open ?? []}
          onOpened={fold}
        />
      ) : (
        <RunTable {...views} />
      )}
      {search.replay !== undefined && run && (
        <ReplayDialog
          run={run}
          version={search.replay}
          task={task?.name}
          part={search.part}
          onVersion={(replay) => setSearch({ replay })}
          onPart={(part) => setSearch({ part })}
          onClose={() => setSearch({ replay: undefined, part: undefined })}
        />
      )}
      {search.ask !== undefined && run && (
        <ControlQuestion
          question={search.ask}
          run={run}
          tasks={tasks}
          task={task}
          onClose={() => ask(undefined)}
        />
      )}
    </Frame>
  );
}

/** For a run that existed a moment ago: retention has removed it. */
function isMissing(error: Error): boolean {
  return error instanceof ApiProblem && error.status === 404;
}

/** Explains a state, in the words of `orrery why`. */
async function sayWhy(id: string, reason: ReturnType<typeof useLanguage>['reason']): Promise<void> {
  try {
    const [why, frees] = reason(await call('explain', { id }));
    notify(`${id}: ${why}${frees === null ? '' : ` · ${frees}`}`);
  } catch (error) {
    notify(String(error), 'bad');
  }
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
