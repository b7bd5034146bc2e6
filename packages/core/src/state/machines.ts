/**
 * State machines of runs and task runs, which an owner decides about. The store decides about attempts and
 * commands.
 */
import type { Machine } from './machine.ts';

/**
 * State of a run. `waiting` is created but not admitted (serial mode, limit); a run paused there waits again
 * when resumed. `failing` only cleans up after its failure strategy or time limit cut it. `broken` was set
 * aside because its data is bad.
 */
export type RunState =
  | 'waiting'
  | 'running'
  | 'pausing'
  | 'paused'
  | 'stopping'
  | 'failing'
  | 'success'
  | 'failed'
  | 'stopped'
  | 'broken';
export type RunEvent =
  | 'start'
  | 'pause'
  | 'hold'
  | 'resume'
  | 'wait'
  | 'stop'
  | 'cut'
  | 'succeed'
  | 'fail'
  | 'halt'
  | 'reopen'
  | 'break';

/** The state machine of a run. */
export const runMachine: Machine<RunState, RunEvent> = {
  name: 'run',
  transitions: {
    waiting: { start: 'running', pause: 'paused', stop: 'stopped', break: 'broken' },
    running: {
      pause: 'pausing',
      stop: 'stopping',
      cut: 'failing',
      succeed: 'success',
      fail: 'failed',
      break: 'broken',
    },
    pausing: {
      hold: 'paused',
      resume: 'running',
      stop: 'stopping',
      cut: 'failing',
      succeed: 'success',
      fail: 'failed',
      break: 'broken',
    },
    paused: {
      resume: 'running',
      wait: 'waiting',
      stop: 'stopping',
      cut: 'failing',
      succeed: 'success',
      fail: 'failed',
      break: 'broken',
    },
    stopping: { halt: 'stopped', succeed: 'success', fail: 'failed', break: 'broken' },
    failing: { stop: 'stopping', fail: 'failed', break: 'broken' },
    success: { reopen: 'running' },
    failed: { reopen: 'running' },
    stopped: { reopen: 'running' },
    broken: { reopen: 'running', stop: 'stopped' },
  },
  final: ['success', 'failed', 'stopped', 'broken'],
};

/**
 * State of a task run. `pending` waits for predecessors; `submitted` has attempts in the queue, `running` on
 * a worker; `waiting` is a logic task that waits for others; `passed` is disabled and let its successors
 * continue; `excluded` is outside the part of the graph this run covers.
 */
export type TaskState =
  | 'pending'
  | 'delayed'
  | 'submitted'
  | 'running'
  | 'retrying'
  | 'waiting'
  | 'paused'
  | 'stopping'
  | 'success'
  | 'failed'
  | 'killed'
  | 'skipped'
  | 'passed'
  | 'excluded';
export type TaskEvent =
  | 'delay'
  | 'submit'
  | 'begin'
  | 'retry'
  | 'wait'
  | 'hold'
  | 'stop'
  | 'succeed'
  | 'fail'
  | 'kill'
  | 'skip'
  | 'pass'
  | 'force'
  | 'reopen'
  | 'exclude';

const ends = { succeed: 'success', fail: 'failed', kill: 'killed' } as const;
const starts = { delay: 'delayed', submit: 'submitted', wait: 'waiting' } as const;

/** The state machine of a task run. */
export const taskMachine: Machine<TaskState, TaskEvent> = {
  name: 'task run',
  transitions: {
    pending: {
      ...starts,
      hold: 'paused',
      succeed: 'success',
      fail: 'failed',
      skip: 'skipped',
      pass: 'passed',
      exclude: 'excluded',
    },
    delayed: { submit: 'submitted', wait: 'waiting', ...ends, hold: 'paused', force: 'success' },
    submitted: {
      begin: 'running',
      retry: 'retrying',
      hold: 'paused',
      stop: 'stopping',
      ...ends,
      force: 'success',
    },
    running: {
      submit: 'submitted',
      retry: 'retrying',
      hold: 'paused',
      stop: 'stopping',
      ...ends,
      force: 'success',
    },
    retrying: { submit: 'submitted', hold: 'paused', kill: 'killed', force: 'success' },
    waiting: { hold: 'paused', stop: 'stopping', ...ends, force: 'success' },
    paused: {
      ...starts,
      retry: 'retrying',
      stop: 'stopping',
      ...ends,
      skip: 'skipped',
      pass: 'passed',
      force: 'success',
    },
    stopping: {
      submit: 'submitted',
      begin: 'running',
      retry: 'retrying',
      hold: 'paused',
      ...ends,
      force: 'success',
    },
    success: { reopen: 'pending' },
    failed: { reopen: 'pending', force: 'success' },
    killed: { reopen: 'pending', force: 'success' },
    skipped: { reopen: 'pending' },
    passed: { reopen: 'pending' },
    excluded: { reopen: 'pending' },
  },
  final: ['success', 'failed', 'killed', 'skipped', 'passed', 'excluded'],
};
