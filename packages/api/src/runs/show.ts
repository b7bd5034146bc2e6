/** Runs as the API shows them. */
import type { Action, Answer } from '@orrery/core/contract';
import { priorityName } from '@orrery/core/queue';
import { controlsOf } from '@orrery/core/run';
import type { TaskState } from '@orrery/core/state';
import type { Command, RunRow } from '@orrery/store';
import { optionalTime, timeText } from '../time.ts';
import { asRun, type FoundRun, type QueuedRun } from './read.ts';

type Row = Answer<'listRuns'>['runs'][number];

/** A run in a list. */
export function showRow({ businessTime, createdAt, startedAt, endedAt, ...row }: RunRow): Row {
  return {
    ...(row as Omit<Row, 'businessTime' | 'createdAt' | 'startedAt' | 'endedAt'>),
    businessTime: timeText(businessTime),
    createdAt: timeText(createdAt),
    startedAt: optionalTime(startedAt),
    endedAt: optionalTime(endedAt),
  };
}

/** A run in a list whose command still waits. */
export function showQueuedRow(id: number, command: Command, createdAt: number) {
  const { project, name, version, kind, trigger, request } = command;
  return showRow({
    id,
    project,
    name,
    version,
    kind,
    trigger,
    state: 'queued',
    owner: null,
    businessTime: request.businessTime,
    createdAt,
    startedAt: null,
    endedAt: null,
  });
}

/** A run whose command still waits. */
export function showQueued(id: number, { command, createdAt, ahead }: QueuedRun) {
  return {
    ...showQueuedRow(id, command, createdAt),
    since: timeText(createdAt),
    priority: priorityName(command.priority),
    params: command.params,
    scope: command.scope,
    dryRun: command.request.dryRun,
    ahead,
    actions: queuedActions,
  };
}

/** A run without its task runs. */
export function showRun(found: FoundRun) {
  const { run, request, fields, parent, controls } = found.details;
  return {
    ...showRow(run),
    since: timeText(fields.since),
    reason: fields.reason ?? null,
    round: fields.round,
    roundKind: fields.roundKind,
    priority: request.priority,
    params: fields.params,
    scope: request.scope,
    dryRun: request.dryRun,
    parent: parent?.run ?? null,
    counts: countsOf(found),
    /** Asked for, and not yet dealt with by the owner. */
    requested: controls.map(({ control, by, at }) => ({ name: control.type, by, at: timeText(at) })),
    actions: controlsOf(asRun(found)) as Action[],
  };
}

/** How many task runs are in each state; those outside the present round by how they ended before. */
function countsOf({ details, plan }: FoundRun): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (state: string, count: number) => {
    if (count > 0) counts[state] = (counts[state] ?? 0) + count;
  };
  let touched = 0;
  for (const { state, round, count } of details.counts) {
    add(shownState(state, round, details.fields.round), count);
    touched += count;
  }
  add(shownState('pending', 1, details.fields.round), plan.tasks.length - touched);
  return counts;
}

/** A task that has not had its turn in an earlier round is not part of this one. */
export function shownState(state: string, round: number, current: number): TaskState {
  return state === 'pending' && round !== current ? 'excluded' : (state as TaskState);
}

const notStarted = 'the run is queued; it has not started';

/** A queued run can only be stopped. */
export const queuedActions: readonly Action[] = [
  ...['pause', 'resume', 'recover', 'rerun', 'force', 'kill', 'start-now', 'set-params'].map((name) => ({
    name,
    allowed: false,
    reason: notStarted,
  })),
  { name: 'stop', allowed: true },
];
