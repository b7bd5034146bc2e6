/** The runs that folded-out tasks started, with their task runs: read when opened, and while they go on. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { noTasks, withTasks } from '../../model/run.ts';
import { tasksOfPages } from '../../model/run-read.ts';
import { hasEnded } from '../../model/state.ts';
import type { ChildRun, ChildRuns } from '../../model/timeline-children.ts';
import { readPages } from './use-run.ts';

/** Poll interval while the task runs; this page does not follow them live. */
const READ_EVERY = 3_000;

interface Found {
  readonly taskRun: string;
  readonly over: boolean;
  readonly children: readonly ChildRun[];
}

/** The loaded children, and why there are not more. */
export interface ChildrenData {
  readonly children: ChildRuns;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Reads the runs that these task runs started; another round of the run starts others. */
export function useChildren(taskRuns: readonly string[], round: number): ChildrenData {
  const { found, error } = useQueries({
    queries: taskRuns.map((taskRun) => {
      const queryKey = ['childRuns', taskRun, round];
      return {
        queryKey,
        placeholderData: (known: Found | undefined) => known,
        refetchInterval: ({ state }: { state: { data?: Found } }) => (state.data?.over ? false : READ_EVERY),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          readChildren(taskRun, queries.getQueryData<Found>(queryKey)?.children ?? [], signal),
      };
    }),
    combine: (results) => ({
      found: results.flatMap(({ data }) => data ?? []),
      error: results.find((result) => result.error !== null)?.error ?? null,
    }),
  });
  const children = useMemo(() => new Map(found.map((one) => [one.taskRun, one.children])), [found]);
  return { children, error, retry: () => void queries.invalidateQueries({ queryKey: ['childRuns'] }) };
}

async function readChildren(
  taskRun: string,
  before: readonly ChildRun[],
  signal: AbortSignal,
): Promise<Found> {
  const { state: ofTask, children: listed } = await call('showTaskRun', { id: taskRun }, { signal });
  const read = listed.toReversed().map(async ({ id, state }): Promise<ChildRun> => {
    const known = before.find((child) => child.id === id);
    if (known && hasEnded(state) && known.state === state) return known;
    const pages = await readPages(id, signal);
    return { id, state, tasks: withTasks(known?.tasks ?? noTasks, tasksOfPages(pages)) };
  });
  const children = await Promise.all(read);
  return { taskRun, children, over: hasEnded(ofTask) && children.every(({ state }) => hasEnded(state)) };
}
