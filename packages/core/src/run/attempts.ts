/**
 * The attempts of a task run, in one line per shard (a task without shards has a single line). A line is
 * idle, has one attempt out, waits to retry, or has ended; the task run ends once, when all its lines have.
 */
import { isFinal, taskMachine } from '../state/index.ts';
import { type AttemptKey, NO_SHARD } from './attempt.ts';
import type { Draft } from './draft.ts';
import type { Outcome } from './events.ts';
import { finish } from './finish.ts';
import { LOST_LIMIT, retryDelay, TIMEOUT_GRACE, workerFor } from './policy.ts';
import type { Cause, ShardRun, TaskRun } from './run.ts';

const fresh: ShardRun = { state: 'idle', attempt: 0, failures: 0, lost: 0 };

/**
 * The lines of a task run at the start of a round: attempt numbers continue, everything else is reset. With
 * `keepSuccess` successful lines stay unchanged, unless that leaves nothing to do.
 */
export function freshShards(shards: readonly ShardRun[], keepSuccess = false): readonly ShardRun[] {
  const keeps = keepSuccess && shards.some(({ state }) => state !== 'success');
  return shards.map((line) =>
    keeps && line.state === 'success' ? line : { ...fresh, attempt: line.attempt },
  );
}

/** Queues an attempt of every idle line. */
export function submit(draft: Draft, i: number): void {
  const { spec } = draft.run.plan.tasks[i];
  const before = draft.task(i).shards;
  const shards = Array.from({ length: spec.shards?.count ?? 1 }, (_, k) => {
    const shard = before[k] ?? fresh;
    return shard.state === 'idle' ? next(draft, i, k, shard) : shard;
  });
  draft.move(i, 'submit', { shards });
}

/** Resumes the lines of a task run that have no open attempt: idle ones at once, others when they are due. */
export function resumeLines(draft: Draft, i: number, hurried = false): void {
  mapLines(draft, i, (line, k) => {
    if (line.state !== 'idle' && line.state !== 'retrying') return line;
    const due = hurried ? draft.now : (line.due ?? draft.now);
    if (due <= draft.now) return next(draft, i, k, line);
    setRetryTimer(draft, i, k, due);
    return line;
  });
  conclude(draft, i);
}

/** Ends the wait of one line. */
export function onRetryDue(draft: Draft, i: number, k: number, at: number): void {
  const shard = draft.task(i).shards[k];
  if (shard?.state !== 'retrying' || shard.due !== at || !moves(draft)) return;
  setShard(draft, i, k, next(draft, i, k, shard));
  conclude(draft, i);
}

/** A worker has taken the attempt: the task is running, and its time limit counts. */
export function onBegun(draft: Draft, key: AttemptKey, worker: string): void {
  const line = openLine(draft, key);
  if (!line || line.worker !== undefined) return;
  const taken = { ...line, worker, since: draft.now };
  setShard(draft, key.task, lineOf(key), taken);
  setAttemptTimer(draft, key, taken);
  conclude(draft, key.task);
}

/**
 * Handles the end of an attempt. A late one, which is not the open attempt of its line, is recorded and
 * changes nothing.
 */
export function onOutcome(draft: Draft, key: AttemptKey, outcome: Outcome): void {
  const line = openLine(draft, key);
  if (!line) {
    draft.effects.push({ type: 'late', attempt: key, outcome });
    return;
  }
  const { task } = key;
  const k = lineOf(key);
  const { cause } = line;
  const over = cause === 'stop' || cause === 'kill' || cause === 'cut';
  const worker = outcome.worker ?? line.worker;
  setShard(draft, task, k, { state: 'idle', cause: undefined, since: undefined, warned: undefined, worker });
  if (outcome.state === 'success') setShard(draft, task, k, { state: 'success', outputs: outcome.outputs });
  else if (outcome.state === 'failed') fail(draft, task, k, outcome.error ?? 'failed', over || outcome.fatal);
  else if (over) setShard(draft, task, k, { state: 'killed' });
  else if (cause === 'timeout' || outcome.state === 'timed-out') {
    if (cause !== 'timeout') warnOfTimeout(draft, task, 'runs');
    fail(draft, task, k, outcome.error ?? 'ran longer than its time limit');
  } else if (outcome.state === 'killed') fail(draft, task, k, outcome.error ?? 'killed on its worker');
  else if (outcome.state === 'lost')
    lose(draft, task, k, outcome.error ?? `worker ${worker ?? 'unknown'} was lost`);
  else if (cause === 'queue') fail(draft, task, k, 'no worker took it in time');
  else if (cause === 'no-worker')
    fail(draft, task, k, `no live worker serves worker group ${groupOf(draft, task)}`);
  else goOn(draft, task, k);
  conclude(draft, task);
}

/**
 * Calls back the open attempt of a line: out of the queue and, if the cause requires it, off its worker.
 * Returns the new line.
 */
export function callBack(draft: Draft, i: number, k: number, line: ShardRun, cause: Cause): ShardRun {
  draft.withdraw.push({ attempt: keyOf(draft, i, k, line.attempt), kill: kills(cause) });
  return { ...line, cause };
}

/** Ends all lines of a task run at once: later reports of open attempts are late. */
export function abandon(draft: Draft, i: number): void {
  mapLines(draft, i, (line, k) => {
    if (line.state !== 'out' && line.state !== 'idle' && line.state !== 'retrying') return line;
    if (line.state === 'out') callBack(draft, i, k, line, 'kill');
    return { ...line, state: 'killed', cause: undefined, since: undefined, due: undefined };
  });
}

/** The line of an attempt, if it is the line's open attempt. */
export function openLine(draft: Draft, key: AttemptKey): ShardRun | undefined {
  const task = draft.task(key.task);
  const shard = task.shards[lineOf(key)];
  const open = shard?.state === 'out' && shard.attempt === key.number && !isFinal(taskMachine, task.state);
  return open ? shard : undefined;
}

/** Maps all lines of a task run in one change: there may be thousands. */
export function mapLines(draft: Draft, i: number, change: (line: ShardRun, k: number) => ShardRun): void {
  draft.patch(i, { shards: draft.task(i).shards.map(change) });
}

/** Changes one line of a task run. */
export function setShard(draft: Draft, i: number, k: number, patch: Partial<ShardRun>): void {
  const { shards } = draft.task(i);
  draft.patch(i, { shards: shards.with(k, { ...shards[k], ...patch }) });
}

/** Wakes a line at the end of its wait to retry. */
export function setRetryTimer(draft: Draft, i: number, k: number, at: number): void {
  const { shard } = keyOf(draft, i, k, 0);
  draft.effects.push({ type: 'timer', alarm: { what: 'retry', task: i, shard, at } });
}

/**
 * Sets the time limit of an open attempt, if its task has one: on its worker, or before that in the queue.
 */
export function setAttemptTimer(draft: Draft, attempt: AttemptKey, line: ShardRun): void {
  const { timeout, queueTimeout, onNoWorker } = draft.run.plan.tasks[attempt.task].spec;
  const { worker, since = draft.now, warned } = line;
  if (worker !== undefined && timeout && !warned) {
    const at = since + timeout.after + (timeout.action === 'warn' ? 0 : TIMEOUT_GRACE);
    draft.effects.push({ type: 'timer', alarm: { what: 'timeout', attempt, at } });
  } else if (worker === undefined) {
    const set = (what: 'queue' | 'no-worker', after: number) =>
      draft.effects.push({ type: 'timer', alarm: { what, attempt, at: since + after } });
    if (queueTimeout !== undefined) set('queue', queueTimeout);
    if (onNoWorker) set('no-worker', onNoWorker.fail);
  }
}

/** The worker group of a task. */
function groupOf(draft: Draft, i: number): string {
  const { workflow, tasks } = draft.run.plan;
  return tasks[i].spec.workerGroup ?? workflow.workerGroup;
}

/** Alerts people that a task exceeds its time limit, unless the limit only ends it. */
export function warnOfTimeout(draft: Draft, i: number, verb: 'runs' | 'waits'): void {
  const { name, timeout } = draft.run.plan.tasks[i].spec;
  if (!timeout || timeout.action === 'fail') return;
  const text = `task ${name} ${verb} longer than its time limit`;
  draft.effects.push({ type: 'alert', kind: 'task-timeout', task: i, text });
}

/**
 * Whether an attempt called back for this cause must also end on its worker; otherwise it only leaves the
 * queue.
 */
export function kills(cause: Cause | undefined): boolean {
  return cause !== undefined && cause !== 'pause' && cause !== 'queue' && cause !== 'no-worker';
}

/** The key of attempt `number` of line `k`. */
export function keyOf(draft: Draft, i: number, k: number, number: number): AttemptKey {
  return { task: i, shard: draft.run.plan.tasks[i].spec.shards ? k : NO_SHARD, number };
}

/** The line an attempt belongs to. */
export function lineOf(key: AttemptKey): number {
  return Math.max(key.shard, 0);
}

/** Queues a line's next attempt; returns the new line. */
function next(draft: Draft, i: number, k: number, shard: ShardRun): ShardRun {
  const { spec } = draft.run.plan.tasks[i];
  const attempt = keyOf(draft, i, k, shard.attempt + 1);
  // Only a failed or lost attempt can avoid its worker, and only a failed one is retried by choice.
  const on = workerFor(spec.retries, shard.failures);
  const failed = shard.state === 'retrying';
  draft.enqueue.push({
    attempt,
    priority: spec.priority,
    workerGroup: groupOf(draft, i),
    group: spec.group,
    resources: spec.resources,
    target: failed && on === 'same' ? shard.worker : undefined,
    avoid: !failed || on === 'other' ? shard.worker : undefined,
  });
  const queued: ShardRun = {
    ...shard,
    state: 'out',
    attempt: attempt.number,
    since: draft.now,
    worker: undefined,
    due: undefined,
    error: undefined,
  };
  setAttemptTimer(draft, attempt, queued);
  return queued;
}

/**
 * Continues a line without an open attempt if its run continues; otherwise it stays idle until resumed or
 * stopped.
 */
function goOn(draft: Draft, i: number, k: number): void {
  if (moves(draft)) setShard(draft, i, k, next(draft, i, k, draft.task(i).shards[k]));
}

function lose(draft: Draft, i: number, k: number, error: string): void {
  const lost = draft.task(i).shards[k].lost + 1;
  setShard(draft, i, k, { lost, error });
  if (lost > LOST_LIMIT) setShard(draft, i, k, { state: 'failed', error: `lost ${lost} times: ${error}` });
  else goOn(draft, i, k);
}

function fail(draft: Draft, i: number, k: number, error: string, fatal = false): void {
  const { retries } = draft.run.plan.tasks[i].spec;
  const failures = draft.task(i).shards[k].failures + 1;
  const due = draft.now + retryDelay(retries, failures);
  if (fatal || failures > retries.limit) {
    setShard(draft, i, k, { state: 'failed', failures, error });
    return;
  }
  setShard(draft, i, k, { state: 'retrying', failures, error, due });
  if (!moves(draft)) return;
  if (due > draft.now) setRetryTimer(draft, i, k, due);
  else setShard(draft, i, k, next(draft, i, k, draft.task(i).shards[k]));
}

/** Concludes a task run from its lines. */
function conclude(draft: Draft, i: number): void {
  const task = draft.task(i);
  const out = task.shards.filter((shard) => shard.state === 'out');
  const has = (state: ShardRun['state']) => task.shards.some((shard) => shard.state === state);
  if (out.length > 0) {
    const called = out.some(({ cause }) => kills(cause));
    const running = out.some(({ worker }) => worker !== undefined);
    if (!called && running && task.state !== 'running') draft.move(i, 'begin');
    else if (!called && !running && task.state !== 'submitted') draft.move(i, 'submit');
  } else if (has('idle') || has('retrying')) {
    const state = moves(draft) ? 'retrying' : 'paused';
    if (task.state !== state) draft.move(i, moves(draft) ? 'retry' : 'hold');
  } else if (has('killed')) finish(draft, i, 'kill', { reason: task.reason });
  else if (has('failed')) finish(draft, i, 'fail', { reason: firstError(task) });
  else
    finish(draft, i, 'succeed', {
      reason: undefined,
      outputs: Object.assign({}, ...task.shards.map((shard) => shard.outputs)),
    });
}

function firstError({ shards }: TaskRun): string | undefined {
  const k = shards.findIndex((shard) => shard.state === 'failed');
  return shards.length > 1 ? `shard ${k}: ${shards[k].error}` : shards[k].error;
}

/** Whether this run may start new attempts now. */
function moves(draft: Draft): boolean {
  return draft.fields.state === 'running' || draft.fields.state === 'failing';
}
