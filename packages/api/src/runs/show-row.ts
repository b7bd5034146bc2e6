/** Runs in a list, with all that a list shows of each. */
import type { Action, Answer } from '@orrery/contract';
import { priorityName } from '@orrery/core/queue';
import {
  type Askable,
  controlsIn,
  controlsOf,
  countsAsRun,
  errorOf,
  firstLine,
  taskRunText,
  whyNotRanked,
} from '@orrery/core/run';
import type { Command, ListedRun, StateCount, Store } from '@orrery/store';
import { optionalTime, timeText } from '../time.ts';
import { action } from '../workflows/actions.ts';
import { outlinesOf, tasksOfKind } from './outlines.ts';

/** A run in a list. */
export type ShownRow = Answer<'listRuns'>['runs'][number];

/** Controls that need nothing but the run: what a list offers. */
const plain: readonly string[] = ['pause', 'resume', 'stop', 'recover', 'rerun'];

/** Tags can be changed in any state of the run. */
export const tagging: Action = { name: 'tag', allowed: true };

/** The priority can be changed before the run starts. */
export function ranking(state: ShownRow['state']): Action {
  return action('set-priority', whyNotRanked(state));
}

/** Controls as actions. */
export function controlActions(controls: readonly Askable[]): Action[] {
  return controls.map(({ name, why }) => action(name, why));
}

/** Runs as a list shows them, newest first. */
export async function showRows(
  store: Store,
  runs: readonly ListedRun[],
  queued: readonly { readonly id: number; readonly command: Command; readonly createdAt: number }[],
): Promise<ShownRow[]> {
  const names = await outlinesOf(store).read(
    runs.map(({ workflow, run: { version } }) => ({ workflow, version })),
  );
  return [
    ...queued.map(({ id, command, createdAt }) => showQueuedRow(id, command, createdAt)),
    ...runs.map((listed) => {
      const { version, kind } = listed.run;
      return showListed(listed, tasksOfKind(kind, names({ ...listed, version })));
    }),
  ].sort((a, b) => b.id - a.id);
}

/** A run whose command still waits. */
export function showQueuedRow(id: number, command: Command, createdAt: number): ShownRow {
  const { project, name, version, kind, trigger, request, params, parent, tags = [] } = command;
  return {
    id,
    project,
    name,
    version,
    kind,
    trigger,
    state: 'queued',
    since: timeText(createdAt),
    owner: null,
    priority: priorityName(command.priority),
    round: 0,
    businessTime: timeText(request.businessTime),
    createdAt: timeText(createdAt),
    startedAt: null,
    endedAt: null,
    idle: 0,
    counted: countsAsRun(request),
    params,
    tags: [...tags],
    outputs: {},
    parent: parent?.run ?? null,
    reason: null,
    counts: null,
    attempts: 0,
    failed: null,
    actions: [
      ...controlActions(controlsOf({ state: 'queued' }).filter(({ name }) => plain.includes(name))),
      ranking('queued'),
      tagging,
    ],
  };
}

function showListed(
  { run, priority, parent, fields, tags, outputs, counts, attempts, failed }: ListedRun,
  tasks: readonly string[],
) {
  const { businessTime, createdAt, startedAt, endedAt, state, ...row } = run;
  return {
    ...row,
    kind: run.kind as ShownRow['kind'],
    trigger: run.trigger as ShownRow['trigger'],
    state: fields.state,
    since: timeText(fields.since),
    priority: priorityName(priority),
    round: fields.round,
    businessTime: timeText(businessTime),
    createdAt: timeText(createdAt),
    startedAt: optionalTime(startedAt),
    endedAt: optionalTime(endedAt),
    counted: row.counted === 1,
    params: fields.params,
    tags: [...tags],
    outputs,
    parent,
    reason: fields.reason ?? null,
    counts: counts && countsOf(counts, tasks.length, fields.round),
    attempts,
    failed: failed && showFailed(run.id, tasks[failed.task] ?? `task ${failed.task}`, failed),
    actions: [
      ...controlActions(controlsIn(fields.state).filter(({ name }) => plain.includes(name))),
      ranking(fields.state),
      tagging,
    ],
  };
}

/** The task run that failed first. */
export function showFailed(
  run: number,
  task: string,
  { since, body }: { readonly since: number; readonly body: string },
): NonNullable<ShownRow['failed']> {
  return {
    task,
    taskRun: taskRunText({ run, task }),
    at: timeText(since),
    error: firstLine(errorOf(JSON.parse(body))),
  };
}

/** How many task runs are in each state; those outside the present round by how they ended before. */
export function countsOf(
  stored: readonly StateCount[],
  total: number,
  current: number,
): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (state: string, count: number) => {
    if (count > 0) counts[state] = (counts[state] ?? 0) + count;
  };
  let touched = 0;
  for (const { state, round, count } of stored) {
    add(shownState(state, round, current), count);
    touched += count;
  }
  add(shownState('pending', 1, current), total - touched);
  return counts;
}

/** A task that has not had its turn in an earlier round is not part of this one. */
export function shownState(state: string, round: number, current: number): string {
  return state === 'pending' && round !== current ? 'excluded' : state;
}
