/** A run with its task runs for the page: read once, followed live, kept as one model that all views read. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { liveCache, useApi, useTopics, withAway } from '../../data/api.ts';
import { type AnswerOf, call } from '../../data/client.ts';
import { addLiveRule } from '../../data/live/rules.ts';
import { askedAt } from '../../first/early.ts';
import { noTasks, type RunTasks, withTasks } from '../../model/run.ts';
import { changedTasks, type TaskPage, tasksOfPages } from '../../model/run-read.ts';
import { hasEnded } from '../../model/state.ts';
import type { Attempt } from '../../model/timeline.ts';
import { attemptsOfEvents, type HistoryEvent } from '../../model/timeline-events.ts';

/** A run as the server shows it. */
export type ShownRun = AnswerOf<'showRun'>;

/** What the page knows of a run. */
export interface RunData {
  readonly run: ShownRun | undefined;
  readonly tasks: RunTasks;
  readonly error: Error | null;
  /** Why there are no task runs, though there is a run. */
  readonly tasksError: Error | null;
  /** Asks again for both. */
  readonly retry: () => void;
}

const PAGE = 1_000;
const AT_ONCE = 4;

addLiveRule<{ id: number }, RunTasks>('runTasks', {
  topics: ({ id }) => [`run:${id}`],
  apply(tasks, event) {
    if (event.kind === 'many') return 'stale';
    // A task that the model does not know yet: its first reading was before the run began.
    if (event.kind === 'run') return tasks.tasks.length === 0 ? 'stale' : tasks;
    return event.kind === 'tasks' ? withTasks(tasks, changedTasks(tasks, event.patch)) : tasks;
  },
});

/** Reads and follows a run. */
export function useRun(id: number): RunData {
  const { data: run, error, refetch } = useApi('showRun', { id });
  const started = run !== undefined && run.state !== 'queued';
  const key = ['runTasks', { id }] as const;
  const {
    data: tasks = noTasks,
    error: tasksError,
    refetch: refetchTasks,
  } = withAway(
    useQuery({
      queryKey: key,
      enabled: started,
      // The model keeps what did not change by itself.
      structuralSharing: (old, next) =>
        old === undefined ? next : withTasks(old as RunTasks, (next as RunTasks).tasks),
      queryFn: async ({ signal }) => {
        const since = askedAt();
        const pages = await readPages(id, signal);
        return liveCache.catchUp(key, withTasks(noTasks, tasksOfPages(pages)), since);
      },
    }),
  );
  useTopics([`run:${id}`]);
  const retry = () => {
    void refetch();
    if (started) void refetchTasks();
  };
  return { run, tasks, error, tasksError, retry };
}

/** Reads all task runs of a run, as many pages as there are. */
export async function readPages(id: number, signal: AbortSignal): Promise<readonly TaskPage[]> {
  const read = (from: number) => call('listTasks', { id, from, limit: PAGE, include: ['needs'] }, { signal });
  const pages = [await read(0)];
  const starts: number[] = [];
  for (let from = PAGE; from < pages[0].total; from += PAGE) starts.push(from);
  for (let i = 0; i < starts.length; i += AT_ONCE)
    pages.push(...(await Promise.all(starts.slice(i, i + AT_ONCE).map(read))));
  return pages;
}

/** Pages of history that are read at most; a longer one shows its attempts up to there. */
const MOST_PAGES = 50;
/** How often the history is read while the run goes on; the tasks themselves are followed live. */
const READ_EVERY = 5_000;

const none: ReadonlyMap<number, readonly Attempt[]> = new Map();

/** The part of a run's history that describes its attempts. */
export interface AttemptsData {
  /** By the index of their task, for tasks that were tried more than once or have shards. */
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Reads the attempts where they are wanted, again and again while the run goes on. */
export function useAttempts(id: number, { tasks, byName }: RunTasks, wanted: boolean): AttemptsData {
  const needed = useMemo(() => tasks.some(({ attempt, shards }) => attempt > 1 || shards !== null), [tasks]);
  const over = useMemo(() => tasks.every(({ state }) => hasEnded(state)), [tasks]);
  const { data, error, refetch } = withAway(
    useQuery<ReadonlyMap<string, readonly Attempt[]>>({
      queryKey: ['runAttempts', id, over],
      enabled: wanted && needed,
      refetchInterval: over ? false : READ_EVERY,
      placeholderData: (known) => known,
      queryFn: async ({ signal }) => {
        const events: HistoryEvent[] = [];
        let after: string | undefined;
        for (let page = 0; page < MOST_PAGES; page++) {
          const answer = await call('listRunEvents', { id, limit: PAGE, after }, { signal });
          events.push(...answer.events);
          if (answer.next === null) break;
          after = new URL(answer.next, 'http://next').searchParams.get('after') ?? undefined;
        }
        return attemptsOfEvents(events);
      },
    }),
  );
  const attempts = useMemo(() => {
    if (!data) return none;
    return new Map(
      [...data].flatMap(([name, attempts]) => {
        const index = byName.get(name);
        return index === undefined ? [] : [[index, attempts] as const];
      }),
    );
  }, [data, byName]);
  return { attempts, error, retry: () => void refetch() };
}
