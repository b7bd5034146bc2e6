/**
 * Allowed controls by run state: one table, applied to a run as stored, which may be unclaimed or about to be
 * reopened. Separate from the rest of a run's life, so that a store can use it.
 */
import type { RunState } from '../state/index.ts';
import { type Said, said } from '../texts/index.ts';
import type { Control } from './events.ts';

type Name = Control['type'];
type Verdict = true | Said;

const ended = (how: Said): Record<'success' | 'failed' | 'stopped', Said> => ({
  success: how,
  failed: how,
  stopped: how,
});
const over = ended(said('control.ended'));
const stillOpen: Record<'waiting' | 'running' | 'pausing' | 'paused' | 'stopping' | 'failing', Said> = {
  waiting: said('control.notStartedStop'),
  running: said('control.runningStop'),
  pausing: said('control.pausingStop'),
  paused: said('control.pausedResume'),
  stopping: said('control.stillStopping'),
  failing: said('control.stillEnding'),
};
const broken = said('control.broken');
const stopping = said('control.stopping');
const failing = said('control.failing');
const notStarted = said('control.notStarted');
const notPaused = said('control.notPaused');

/** Where each control is allowed, or why it is not. */
export const allowedIn: Readonly<Record<Name, Readonly<Record<RunState, Verdict>>>> = {
  pause: {
    ...over,
    waiting: true,
    running: true,
    pausing: said('control.alreadyPausing'),
    paused: said('control.alreadyPaused'),
    stopping,
    failing,
    broken,
  },
  resume: {
    ...ended(said('control.endedAgain')),
    waiting: notPaused,
    running: notPaused,
    pausing: true,
    paused: true,
    stopping,
    failing,
    broken,
  },
  stop: {
    ...over,
    waiting: true,
    running: true,
    pausing: true,
    paused: true,
    stopping: said('control.alreadyStopping'),
    failing: true,
    broken: true,
  },
  recover: {
    ...stillOpen,
    success: said('control.succeeded'),
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
    ...over,
    waiting: notStarted,
    running: true,
    pausing: true,
    paused: true,
    stopping,
    failing,
    broken,
  },
  'start-now': {
    ...over,
    waiting: notStarted,
    running: true,
    pausing: said('control.pausing'),
    paused: said('control.paused'),
    stopping,
    failing,
    broken,
  },
  answer: {
    ...over,
    waiting: notStarted,
    running: true,
    pausing: true,
    paused: true,
    stopping,
    failing: true,
    broken,
  },
  'set-params': {
    ...over,
    waiting: true,
    running: said('control.runningPause'),
    pausing: said('control.stillPausing'),
    paused: true,
    stopping,
    failing,
    broken,
  },
  'set-parallel': {
    ...over,
    waiting: notStarted,
    running: true,
    pausing: true,
    paused: true,
    stopping,
    failing,
    broken,
  },
};

/** A control, and whether it is allowed. */
export interface Askable {
  readonly name: Name;
  readonly allowed: boolean;
  /** Why it is not allowed. */
  readonly why?: Said;
}

/** Controls that apply to any run; the others apply only to backfills and approvals, which show them. */
const ofAnyRun = (Object.keys(allowedIn) as Name[]).filter(
  (name) => name !== 'set-parallel' && name !== 'answer',
);

/** Controls in this state, with the reason for each that is not allowed. */
export function controlsIn(state: RunState): Askable[] {
  return ofAnyRun.map((name) => {
    const verdict = allowedIn[name][state];
    return verdict === true ? { name, allowed: true } : { name, allowed: false, why: verdict };
  });
}

/** A run as known without its tasks. */
export interface StoredRun {
  /** `queued`: its start command waits to be claimed. */
  readonly state: RunState | 'queued';
  /** The pending request that reopens it. */
  readonly opening?: Name;
}

/**
 * Controls of a stored run. A queued run can only be stopped, which withdraws its command. While a request to
 * reopen is pending, a stop withdraws it, and no second one is allowed.
 */
export function controlsOf({ state, opening }: StoredRun): readonly Askable[] {
  if (state === 'queued') return ofQueued;
  const controls = controlsIn(state);
  if (opening === undefined) return controls;
  const why = said('control.asked', { control: opening });
  return controls.map((control) => {
    if (control.name === 'stop') return { name: 'stop', allowed: true };
    return control.name === 'rerun' || control.name === 'recover'
      ? { name: control.name, allowed: false, why }
      : control;
  });
}

const ofQueued: readonly Askable[] = (Object.keys(allowedIn) as Name[]).map((name) =>
  name === 'stop' ? { name, allowed: true } : { name, allowed: false, why: said('control.queued') },
);

/** Why the priority of a run cannot be changed in this state; undefined before it starts, when it can. */
export function whyNotRanked(state: RunState | 'queued'): Said | undefined {
  return state === 'queued' || state === 'waiting' ? undefined : said('control.started');
}
