/**
 * Which controls are allowed, by the state of a run: one table, and what it means for a run as it is stored. That may
 * not have been claimed yet, or be about to be opened again. Without the rest of a run's life, so a store can ask.
 */
import type { RunState } from '../state/index.ts';
import type { Control } from './events.ts';

type Name = Control['type'];
type Verdict = true | string;

const ended = (advice: string): Record<'success' | 'failed' | 'stopped', string> => ({
  success: `the run has ended${advice}`,
  failed: `the run has ended${advice}`,
  stopped: `the run has ended${advice}`,
});
const stillOpen: Record<'waiting' | 'running' | 'pausing' | 'paused' | 'stopping' | 'failing', string> = {
  waiting: 'the run has not started; stop it first',
  running: 'the run is still running; stop it first',
  pausing: 'the run is still pausing; stop it first',
  paused: 'the run is paused; resume or stop it first',
  stopping: 'the run is still being stopped',
  failing: 'the run is still ending',
};
const broken = 'the run is broken; recover or stop it';
const stopping = 'the run is being stopped';
const failing = 'the run is ending after a failure';
const notStarted = 'the run has not started';

/** Where each control is allowed; a text is the reason why it is not. */
export const allowedIn: Readonly<Record<Name, Readonly<Record<RunState, Verdict>>>> = {
  pause: {
    ...ended(''),
    waiting: true,
    running: true,
    pausing: 'the run is already pausing',
    paused: 'the run is already paused',
    stopping,
    failing,
    broken,
  },
  resume: {
    ...ended('; recover or rerun it'),
    waiting: 'the run is not paused',
    running: 'the run is not paused',
    pausing: true,
    paused: true,
    stopping,
    failing,
    broken,
  },
  stop: {
    ...ended(''),
    waiting: true,
    running: true,
    pausing: true,
    paused: true,
    stopping: 'the run is already being stopped',
    failing: true,
    broken: true,
  },
  recover: {
    ...stillOpen,
    success: 'the run succeeded; there is nothing to recover',
    failed: true,
    stopped: true,
    broken: true,
  },
  rerun: { ...stillOpen, success: true, failed: true, stopped: true, broken: true },
  force: {
    success: true,
    failed: true,
    stopped: true,
    waiting: notStarted,
    running: true,
    pausing: true,
    paused: true,
    stopping,
    failing,
    broken,
  },
  kill: {
    ...ended(''),
    waiting: notStarted,
    running: true,
    pausing: true,
    paused: true,
    stopping,
    failing,
    broken,
  },
  'start-now': {
    ...ended(''),
    waiting: notStarted,
    running: true,
    pausing: 'the run is pausing',
    paused: 'the run is paused',
    stopping,
    failing,
    broken,
  },
  answer: {
    ...ended(''),
    waiting: notStarted,
    running: true,
    pausing: true,
    paused: true,
    stopping,
    failing: true,
    broken,
  },
  'set-params': {
    ...ended(''),
    waiting: true,
    running: 'the run is running; pause it first',
    pausing: 'the run is still pausing',
    paused: true,
    stopping,
    failing,
    broken,
  },
  'set-parallel': {
    ...ended(''),
    waiting: notStarted,
    running: true,
    pausing: true,
    paused: true,
    stopping,
    failing,
    broken,
  },
};

/** A control, and whether it can be asked for. */
export interface Askable {
  readonly name: Name;
  readonly allowed: boolean;
  readonly reason?: string;
}

/** Controls that any run may be asked for; the others are of backfills and approvals alone, which show them. */
const ofAnyRun = (Object.keys(allowedIn) as Name[]).filter(
  (name) => name !== 'set-parallel' && name !== 'answer',
);

/** Which controls a run in this state allows, each with the reason where it does not. */
export function controlsIn(state: RunState): Askable[] {
  return ofAnyRun.map((name) => {
    const verdict = allowedIn[name][state];
    return verdict === true ? { name, allowed: true } : { name, allowed: false, reason: verdict };
  });
}

/** What is known of a run without its tasks. */
export interface StoredRun {
  /** `queued`: its start command waits to be claimed. */
  readonly state: RunState | 'queued';
  /** What was asked for and opens it again, while that has not happened. */
  readonly opening?: Name;
}

/**
 * Which controls can be asked of a run as it is stored. A queued one can only be stopped, which takes its command back;
 * while what opens a run again waits, a stop takes that back, and there is no second one.
 */
export function controlsOf({ state, opening }: StoredRun): readonly Askable[] {
  if (state === 'queued') return ofQueued;
  const controls = controlsIn(state);
  if (opening === undefined) return controls;
  const reason = `a ${opening} has been asked for already`;
  return controls.map((control) => {
    if (control.name === 'stop') return { name: 'stop', allowed: true };
    return control.name === 'rerun' || control.name === 'recover'
      ? { name: control.name, allowed: false, reason }
      : control;
  });
}

const ofQueued: readonly Askable[] = (Object.keys(allowedIn) as Name[]).map((name) =>
  name === 'stop'
    ? { name, allowed: true }
    : { name, allowed: false, reason: 'the run is queued; it has not started' },
);

/** Why the priority of a run cannot be changed in this state; undefined before it starts, when it can. */
export function whyNotRanked(state: RunState | 'queued'): string | undefined {
  return state === 'queued' || state === 'waiting' ? undefined : 'the run has started';
}
