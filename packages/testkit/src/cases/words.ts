/** What the words of DolphinScheduler's cases are called here. */
import { notUnderstood } from './recorded.ts';

const states: Readonly<Record<string, string>> = {
  SUCCESS: 'success',
  FAILURE: 'failed',
  FAILED: 'failed',
  STOP: 'stopped',
  PAUSE: 'paused',
  KILL: 'killed',
  RUNNING: 'running',
  RUNNING_EXECUTION: 'running',
  SUBMITTED_SUCCESS: 'submitted',
  SERIAL_WAIT: 'waiting',
};

/** Our name of a state; a remark in brackets, such as `(flag NO)`, is about their table. */
export function stateOf(said: string): string {
  const state = states[said.replace(/\(.*\)$/, '')];
  if (state === undefined) throw notUnderstood(said);
  return state;
}

const controls = {
  pause: 'pause',
  stop: 'stop',
  kill: 'stop',
  resume: 'resume',
  'recover from pause': 'resume',
  rerun: 'rerun',
  recover: 'recover',
  'recover from failed': 'recover',
  'recover from stop': 'recover',
} as const;

/** Our name of what somebody does to a run. */
export function controlOf(said: string): (typeof controls)[keyof typeof controls] {
  if (!Object.hasOwn(controls, said)) throw notUnderstood(said);
  return controls[said as keyof typeof controls];
}

const modes: Readonly<Record<string, string>> = {
  PARALLEL: 'parallel',
  SERIAL_WAIT: 'serial-wait',
  SERIAL_DISCARD: 'serial-discard',
  SERIAL_PRIORITY: 'serial-priority',
};

/** Our name of an execution type. */
export function modeOf(said: string): string {
  const mode = modes[said];
  if (mode === undefined) throw notUnderstood(said);
  return mode;
}
