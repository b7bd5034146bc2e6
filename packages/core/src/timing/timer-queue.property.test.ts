import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerQueue } from './timer-queue.ts';
import type { TimerHandle } from './timer-table.ts';
import { VirtualClock } from './virtual-clock.ts';

const t0 = 1_700_000_000_000;

interface Timer {
  due: number;
  addedAt: number;
  handle: TimerHandle;
  state: 'waiting' | 'fired' | 'cancelled';
}

const delay = fc.oneof(
  fc.integer({ min: -2_000, max: 0 }),
  fc.nat(300),
  fc.nat(40_000),
  fc.constantFrom(15_000, 30_000, 30_001, 45_000),
  fc.nat(4_000_000),
);
const step = fc.oneof(
  fc.constantFrom(2_000, -2_000, 3_600_000, -3_600_000),
  fc.integer({ min: -50_000, max: 50_000 }),
);
const add = fc.record({ kind: fc.constant('add' as const), ms: delay });
const cancel = fc.record({ kind: fc.constant('cancel' as const), ms: fc.nat() });
const advance = fc.record({
  kind: fc.constant('advance' as const),
  ms: fc.oneof(fc.nat(300), fc.nat(40_000), fc.nat(1_000_000)),
});
const stepped = fc.record({ kind: fc.constant('step' as const), ms: step });
const operations = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: add },
    { weight: 2, arbitrary: cancel },
    { weight: 3, arbitrary: advance },
  ),
  { maxLength: 60, size: 'max' },
);
const operationsWithSteps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: add },
    { weight: 2, arbitrary: cancel },
    { weight: 3, arbitrary: advance },
    { weight: 2, arbitrary: stepped },
  ),
  { maxLength: 60, size: 'max' },
);

function cancelOne(queue: TimerQueue<Timer>, timers: Timer[], pick: number): void {
  if (timers.length === 0) return;
  const timer = timers[pick % timers.length];
  expect(queue.cancel(timer.handle)).toBe(timer.state === 'waiting');
  if (timer.state === 'waiting') timer.state = 'cancelled';
}

function addOne(queue: TimerQueue<Timer>, timers: Timer[], clock: VirtualClock, delayMs: number): void {
  const due = clock.now() + delayMs;
  const timer: Timer = { due, addedAt: clock.monotonic(), handle: 0 as TimerHandle, state: 'waiting' };
  timer.handle = queue.add(due, timer);
  timers.push(timer);
}

/** A started queue under the operations; every third timer, when fired, adds one of the given delays. */
function play(list: { kind: 'add' | 'cancel' | 'advance' | 'step'; ms: number }[], again: number[]) {
  const clock = new VirtualClock(t0 + 3_600_000);
  const queue = new TimerQueue<Timer>(clock);
  const timers: Timer[] = [];
  const toAdd = [...again];
  let worst = 0;
  queue.start((payloads) => {
    for (const timer of payloads) {
      expect(timer.state).toBe('waiting');
      expect(clock.now()).toBeGreaterThanOrEqual(timer.due);
      timer.state = 'fired';
      worst = Math.max(worst, clock.now() - timer.due);
      const delay = timers.indexOf(timer) % 3 === 0 ? toAdd.shift() : undefined;
      if (delay !== undefined) addOne(queue, timers, clock, delay);
    }
  });
  const settled = () => {
    // Whatever was due a moment ago has fired: a step is noticed within a second.
    clock.advance(1_001);
    const moment = clock.monotonic();
    const stuck = timers.filter(
      (timer) => timer.state === 'waiting' && timer.due < clock.now() && timer.addedAt < moment,
    );
    expect(stuck).toEqual([]);
    expect(queue.size).toBe(timers.filter((timer) => timer.state === 'waiting').length);
  };
  for (const { kind, ms } of list) {
    if (kind === 'add') addOne(queue, timers, clock, ms);
    else if (kind === 'cancel') cancelOne(queue, timers, ms);
    else if (kind === 'advance') clock.advance(ms);
    else {
      clock.step(Math.max(ms, -clock.now()));
      settled();
    }
  }
  // Each round fires all that wait; one more is needed for each timer that a firing adds.
  for (let round = 0; round <= again.length; round++) {
    const waiting = timers.filter((timer) => timer.state === 'waiting');
    clock.advance(Math.max(0, ...waiting.map((timer) => timer.due - clock.now())));
    settled();
  }
  expect(timers.filter((timer) => timer.state === 'waiting')).toEqual([]);
  return worst;
}

describe('a timer queue, whatever happens to it', () => {
  it('fires every timer once, never early and at most a millisecond late', () => {
    const future = fc.oneof(fc.nat(300), fc.nat(40_000), fc.nat(100_000));
    const noOverdue = operations.map((list) => list.filter(({ kind, ms }) => kind !== 'add' || ms >= 0));
    fc.assert(
      fc.property(noOverdue, fc.array(future, { maxLength: 20, size: 'max' }), (list, again) => {
        expect(play(list, again)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });

  it('fires every timer once and never early when the clock steps', () => {
    fc.assert(
      fc.property(operationsWithSteps, fc.array(delay, { maxLength: 20, size: 'max' }), (list, again) => {
        play(list, again);
      }),
      { numRuns: 60 },
    );
  });

  it('gives at each time exactly what a sorted list gives', () => {
    fc.assert(
      fc.property(operationsWithSteps, (list) => {
        const clock = new VirtualClock(t0);
        const queue = new TimerQueue<Timer>(clock);
        const timers: Timer[] = [];
        for (const { kind, ms } of list) {
          const before = clock.now();
          if (kind === 'add') addOne(queue, timers, clock, ms);
          else if (kind === 'cancel') cancelOne(queue, timers, ms);
          else if (kind === 'advance') clock.advance(ms);
          else clock.step(ms);
          if (kind !== 'advance' && kind !== 'step') continue;
          const expected = timers.filter((timer) => timer.state === 'waiting' && timer.due <= clock.now());
          const fired = queue.runDue(clock.now());
          expect(new Set(fired)).toEqual(new Set(expected));
          expect(fired).toHaveLength(expected.length);
          for (const timer of fired) timer.state = 'fired';
          // What was overdue before counts as due at that moment.
          const order = fired.map((timer) => Math.max(timer.due, before));
          if (kind === 'advance') expect(order).toEqual(order.toSorted((a, b) => a - b));
          expect(queue.size).toBe(timers.filter((timer) => timer.state === 'waiting').length);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('fires each of a million timers once, but for the half that is cancelled', () => {
    const count = 1_000_000;
    const clock = new VirtualClock(t0);
    const queue = new TimerQueue<number>(clock);
    const due = new Float64Array(count);
    const handles: TimerHandle[] = [];
    let random = 1;
    for (let i = 0; i < count; i++) {
      random = (random * 48_271) % 2_147_483_647;
      due[i] = t0 + (random % 32_000);
      handles.push(queue.add(due[i], i));
    }
    expect(queue.far).toBeGreaterThan(50_000);
    for (let i = 0; i < count; i += 2) queue.cancel(handles[i]);
    expect(queue.size).toBe(count / 2);
    const fired = new Uint8Array(count);
    let early = 0;
    let late = 0;
    for (let now = t0; now <= t0 + 32_000; now += 100) {
      for (const i of queue.runDue(now)) {
        fired[i]++;
        if (due[i] > now) early++;
        if (due[i] <= now - 100) late++;
      }
    }
    expect([early, late, queue.size]).toEqual([0, 0, 0]);
    expect(fired.every((times, i) => times === i % 2)).toBe(true);
  });
});
