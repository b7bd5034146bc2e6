/**
 * Every state that something can be in, with the family that colours it, its icon and its word. One table for
 * runs, task runs, attempts, schedules and nodes; a state that is not in it is shown under its raw name.
 */
import type { Family } from '../theme/palette.ts';

/** A drawing on a grid of 16: lines, filled shapes, or both; `dashed` breaks the lines. */
export interface StateIcon {
  readonly lines?: string;
  readonly fill?: string;
  readonly dashed?: boolean;
}

const ring = 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11z';
const triangle = 'M5 3.2v9.6L13 8z';
const tick = 'M2.8 8.6l3.4 3.4l7-7.6';
const cross = 'M4 4l8 8M12 4l-8 8';
const square = 'M4 4h8v8H4z';
const clock = 'M11.8 9.2a3 3 0 1 1 0 6a3 3 0 0 1 0-6zM11.8 10.8v1.6l1 .8';
const mark = 'M3 13.5h10';

const icons = {
  dashedRing: { lines: ring, dashed: true },
  slashedRing: { lines: `${ring}M4.4 11.6l7.2-7.2`, dashed: true },
  hatch: { lines: 'M3 3h10v10H3zM3 9l6-6M3 13L13 3M7 13l6-6' },
  ring: { lines: ring },
  hourglass: { lines: 'M4 2.5h8M4 13.5h8M5 2.5v2.2L8 8l3-3.3V2.5M5 13.5v-2.2L8 8l3 3.3v2.2' },
  clock: { lines: `${ring}M8 5v3.2l2.2 1.4` },
  loop: { lines: 'M12.9 6.2A5.2 5.2 0 1 0 13.2 9M13.2 2.8v3.6H9.6' },
  bars: { fill: 'M4.2 3h2.8v10H4.2zM9 3h2.8v10H9z' },
  triangleOutline: { lines: triangle },
  triangle: { fill: triangle },
  triangleBars: { fill: 'M2.5 3.2v9.6L8.5 8z', lines: 'M11 4v8M13.5 4v8' },
  triangleMark: { fill: 'M5 1.8v8.8L12.4 6.2z', lines: mark },
  triangleCross: { fill: 'M2.5 3.2v9.6L9 8z', lines: 'M10 5.6l4 4.8M14 5.6l-4 4.8' },
  tick: { lines: tick },
  notchedTick: { lines: `${tick}M10.5 12.8h3` },
  cross: { lines: cross },
  crossClock: { lines: `M2.5 2.5l7 7M9.5 2.5l-7 7${clock}` },
  brokenLink: {
    lines:
      'M6.2 4.2L8 2.6a3 3 0 0 1 4.4 4.2l-1.6 1.7M9.8 11.8L8 13.4a3 3 0 0 1-4.4-4.2l1.6-1.7M3 3l1.6 1.6M13 13l-1.6-1.6',
  },
  boxedCross: { lines: 'M2.5 2.5h11v11h-11zM5.5 5.5l5 5M10.5 5.5l-5 5' },
  square: { fill: square },
  dashedSquare: { lines: square, dashed: true },
  swap: { lines: 'M3 5.5h9.3M9.6 2.8l2.7 2.7l-2.7 2.7M13 10.5H3.7M6.4 7.8l-2.7 2.7l2.7 2.7' },
  barredRing: { lines: `${ring}M4.4 11.6l7.2-7.2` },
  dot: { fill: 'M8 5a3 3 0 1 1 0 6a3 3 0 0 1 0-6z' },
} as const satisfies Record<string, StateIcon>;

const table = {
  pending: ['neutral', icons.dashedRing, 'state.pending'],
  skipped: ['neutral', icons.slashedRing, 'state.skipped'],
  excluded: ['neutral', icons.slashedRing, 'state.excluded'],
  passed: ['neutral', icons.hatch, 'state.disabled'],
  disabled: ['neutral', icons.hatch, 'state.disabled'],
  queued: ['waiting', icons.ring, 'state.queued'],
  submitted: ['waiting', icons.ring, 'state.queued'],
  waiting: ['waiting', icons.hourglass, 'state.waiting'],
  delayed: ['waiting', icons.clock, 'state.delayed'],
  retrying: ['waiting', icons.loop, 'state.retrying'],
  paused: ['waiting', icons.bars, 'state.paused'],
  expired: ['neutral', icons.clock, 'state.expired'],
  silent: ['waiting', icons.brokenLink, 'state.silent'],
  gone: ['neutral', icons.brokenLink, 'state.gone'],
  late: ['waiting', icons.clock, 'state.late'],
  assigned: ['running', icons.triangleOutline, 'state.dispatched'],
  dispatched: ['running', icons.triangleOutline, 'state.dispatched'],
  running: ['running', icons.triangle, 'state.running'],
  pausing: ['running', icons.triangleBars, 'state.pausing'],
  stopping: ['running', icons.triangleMark, 'state.stopping'],
  failing: ['running', icons.triangleCross, 'state.failing'],
  draining: ['running', icons.triangleMark, 'state.draining'],
  ok: ['success', icons.dot, 'state.ok'],
  ready: ['neutral', icons.dot, 'state.ready'],
  idle: ['failed', icons.barredRing, 'state.noInstance'],
  crashed: ['failed', icons.triangleCross, 'state.crashed'],
  orphan: ['failed', icons.dashedRing, 'state.orphan'],
  unassigned: ['waiting', icons.dashedRing, 'state.unassigned'],
  resharding: ['waiting', icons.swap, 'state.resharding'],
  on: ['success', icons.dot, 'state.on'],
  alive: ['success', icons.dot, 'state.alive'],
  success: ['success', icons.tick, 'state.success'],
  forced: ['success', icons.notchedTick, 'state.forced'],
  failed: ['failed', icons.cross, 'state.failed'],
  'timed-out': ['failed', icons.crossClock, 'state.timedOut'],
  lost: ['failed', icons.brokenLink, 'state.lost'],
  broken: ['failed', icons.boxedCross, 'state.broken'],
  unhealthy: ['failed', icons.boxedCross, 'state.unhealthy'],
  stopped: ['stopped', icons.square, 'state.stopped'],
  killed: ['stopped', icons.square, 'state.killed'],
  discarded: ['stopped', icons.dashedSquare, 'state.discarded'],
  withdrawn: ['stopped', icons.dashedSquare, 'state.withdrawn'],
} as const satisfies Record<string, readonly [Family, StateIcon, string]>;

/** The states that have a word and an icon of their own. */
export const knownStates = Object.keys(table) as (keyof typeof table)[];

/** The look of a state; `word` is a message key, or null if only the raw name is known. */
export interface StateLook {
  readonly family: Family;
  readonly icon: StateIcon;
  readonly word: (typeof table)[keyof typeof table][2] | null;
}

const looks = new Map<string, StateLook>(
  Object.entries(table).map(([state, [family, icon, word]]) => [state, { family, icon, word }]),
);
const unknown: StateLook = { family: 'neutral', icon: icons.dashedRing, word: null };

/** The look of a state; the same object each time, so that it can be compared. */
export function lookOf(state: string): StateLook {
  return looks.get(state) ?? unknown;
}

/** States that nothing leaves by itself. */
const final = new Set([
  'success',
  'failed',
  'stopped',
  'broken',
  'killed',
  'skipped',
  'passed',
  'excluded',
  'timed-out',
  'lost',
  'withdrawn',
  'forced',
  'discarded',
]);

/** Whether its counters are final. */
export function hasEnded(state: string): boolean {
  return final.has(state);
}
