/**
 * Rounds: one walk over the whole graph or a part of it. The first starts the run; rerun and recover reopen
 * it. A task belongs to the round whose number it carries; tasks outside keep their state and outputs.
 */
import { predecessors, selectTasks, topologicalOrder } from '../dag/index.ts';
import { isFinal, taskMachine } from '../state/index.ts';
import { freshShards } from './attempts.ts';
import type { Draft } from './draft.ts';
import type { Scope } from './events.ts';
import { indexOf } from './plan.ts';
import { poolOf, samePool } from './pool.ts';
import { countersOf, type RoundKind, type TaskRun, verdictOn } from './run.ts';

/** Starts a waiting run. */
export function startRun(draft: Draft, scope: Scope): void {
  const { dag, index } = draft.run.plan;
  const picked = scope.tasks.map((name) => indexOf(index, name));
  draft.moveRun('start', {
    roundStarted: draft.now,
    picked: pickedOf(scope, picked),
    given: draft.facts.given,
  });
  if (scope.kind === 'all') {
    for (let i = 0; i < dag.size; i++) if (draft.countersAt(i).open === 0) draft.agenda.push(i);
  } else {
    const mask = selectTasks(dag, scope.kind, picked);
    mask.forEach((inside, i) => {
      if (!inside) draft.move(i, 'exclude', { round: 0 });
    });
    countAndList(draft, mask);
  }
  setRunTimer(draft);
}

/** Opens a new round over a part of the graph; without picks, over the run's requested scope. */
export function rerun(draft: Draft, scope: Scope): void {
  const { dag, index } = draft.run.plan;
  const picked = scope.tasks.map((name) => indexOf(index, name));
  const mask =
    scope.kind === 'all'
      ? Uint8Array.from(draft.run.tasks, (task) => (task.state === 'excluded' ? 0 : 1))
      : selectTasks(dag, scope.kind, picked);
  reopen(draft, 'rerun', mask, pickedOf(scope, picked));
}

/**
 * Opens a new round over all tasks that did not succeed, and over the successors of failures. A task with
 * shards repeats only those that did not succeed, unless it follows a failure: then its values may change.
 */
export function recover(draft: Draft): void {
  const { dag } = draft.run.plan;
  const mask = new Uint8Array(dag.size);
  const failed: number[] = [];
  draft.run.tasks.forEach(({ state }, i) => {
    if (state === 'success' || state === 'passed' || state === 'excluded') return;
    mask[i] = 1;
    if (state === 'failed' || state === 'killed') failed.push(i);
  });
  const affected = selectTasks(dag, 'from', failed);
  affected.forEach((follows, i) => {
    if (follows && draft.run.tasks[i].state !== 'excluded') mask[i] = 1;
  });
  const keepsShards = (i: number) => !predecessors(dag, i).some((p) => affected[p] === 1);
  reopen(draft, 'recover', mask, [], keepsShards);
}

/** Sets the time limit of the round, if the workflow has one. A pause sets no timer: the resume does. */
export function setRunTimer(draft: Draft): void {
  const at = runDeadline(draft);
  const { round, warned, pausedAt } = draft.fields;
  if (at === undefined || warned || pausedAt !== undefined) return;
  draft.effects.push({ type: 'timer', alarm: { what: 'run-timeout', round, at } });
}

/** When the round reaches the run's time limit: counted from its start, without pauses. */
export function runDeadline({ run, fields }: Draft): number | undefined {
  const { timeout } = run.plan.workflow;
  return timeout && fields.roundStarted + timeout.after + (fields.paused ?? 0);
}

function pickedOf(scope: Scope, picked: readonly number[]): readonly number[] {
  return scope.kind === 'from' || scope.kind === 'only' ? picked : [];
}

function reopen(
  draft: Draft,
  roundKind: RoundKind,
  mask: Uint8Array,
  picked: readonly number[],
  keepsShards: (i: number) => boolean = () => false,
): void {
  const { given } = draft.facts;
  draft.nextRound({
    roundKind,
    roundStarted: draft.now,
    picked,
    given,
    reason: undefined,
    warned: undefined,
    pausedAt: undefined,
    paused: undefined,
  });
  const { round } = draft.fields;
  mask.forEach((inside, i) => {
    if (!inside) return;
    const task = draft.task(i);
    const shards = freshShards(task.shards, task.state !== 'success' && keepsShards(i));
    const patch = { ...afresh(task, round, roundKind), shards };
    if (isFinal(taskMachine, task.state)) draft.move(i, 'reopen', patch);
    else draft.patch(i, patch);
  });
  // Tasks outside the round no longer inherit from tasks that run again.
  for (const i of topologicalOrder(draft.run.plan.dag)) {
    const pool = poolOf(draft.run.plan, i, draft.task);
    if (pool && !samePool(pool, draft.task(i).pool)) draft.patch(i, { pool });
  }
  countAndList(draft, mask);
  setRunTimer(draft);
}

/** Clears the task's end in an earlier round. A recovery continues child runs that did not succeed. */
function afresh(task: TaskRun, round: number, kind: RoundKind): Partial<TaskRun> {
  const keeps = kind === 'recover' && task.state !== 'success';
  return {
    round,
    started: undefined,
    due: undefined,
    outputs: undefined,
    branch: undefined,
    ending: undefined,
    reason: undefined,
    forced: undefined,
    warned: undefined,
    pausedFor: undefined,
    question: undefined,
    pool: undefined,
    child: keeps ? task.child : undefined,
    series: keeps ? task.series : undefined,
    input: keeps ? task.input : undefined,
  };
}

/** Counts the predecessors of every task in the round, and lists the tasks whose turn it is. */
function countAndList(draft: Draft, mask: Uint8Array): void {
  const { plan } = draft.run;
  mask.forEach((inside, i) => {
    if (!inside) return;
    const counters = countersOf(plan, i, draft.task, draft.fields);
    draft.setCounters(i, counters);
    if (verdictOn(plan, i, counters, draft.fields) !== 'wait') draft.agenda.push(i);
  });
}
