import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { IllegalTransition, InvalidInput } from '../errors.ts';
import { realClock } from './clock.ts';
import { TimerQueue } from './timer-queue.ts';
import { VirtualClock } from './virtual-clock.ts';

const t0 = 1_700_000_000_000;
const second = 1_000;
const hour = 3_600_000;

/** A started queue that notes what fired and when, on the wall clock relative to t0. */
function started(options = {}) {
  const clock = new VirtualClock(t0);
  const queue = new TimerQueue<string>(clock, options);
  const fired: [string, number][] = [];
  queue.start((payloads) => {
    for (const payload of payloads) fired.push([payload, clock.now() - t0]);
  });
  return { clock, queue, fired };
}

describe('the wheel vectors of seed-vectors.json', () => {
  const { wheelMax, drainEvery, lookAhead, cases } = vectors.wheel;
  const options = {
    wheelSpan: wheelMax * second,
    drainEvery: drainEvery * second,
    lookAhead: lookAhead * second,
    // Longer than the spans, so that only due times and drains wake the queue.
    maxSleep: hour,
  };

  it.each(cases as [number, number | 'now'][])('a delay of %i s is in the wheel from %s', (delay, moved) => {
    const { clock, queue, fired } = started(options);
    queue.add(t0 + delay * second, 'x');
    expect(queue.far).toBe(moved === 'now' || moved === 0 ? 0 : 1);
    if (typeof moved === 'number' && moved > 0) {
      clock.advanceTo(t0 + moved * second - 1);
      expect(queue.far).toBe(1);
      clock.advance(1);
      expect(queue.far).toBe(0);
    }
    expect(fired).toEqual([]);
    clock.advanceTo(t0 + Math.max(0, delay) * second + 1);
    // One tick late at most; a timer on time is exact.
    expect(fired).toEqual([['x', delay > 0 ? delay * second : 1]]);
    clock.advance(hour);
    expect([fired.length, queue.size]).toEqual([1, 0]);
  });
});

describe('a timer queue', () => {
  it('fires one batch a wake, in order of due time, across both tiers', () => {
    const clock = new VirtualClock(t0);
    const queue = new TimerQueue<string>(clock);
    queue.add(t0 + 40 * second, 'far');
    queue.add(t0 + 20, 'b');
    queue.add(t0 + 20, 'c');
    queue.add(t0 + 10, 'a');
    expect([queue.size, queue.far]).toEqual([4, 1]);
    expect(queue.runDue(t0 + 9)).toEqual([]);
    expect(queue.runDue(t0 + 20)).toEqual(['a', 'b', 'c']);
    queue.add(t0 + 41 * second, 'later');
    expect(queue.runDue(t0 + hour)).toEqual(['far', 'later']);
  });

  it('cancels a timer in the wheel, in the skip list, and after it was moved', () => {
    const { clock, queue, fired } = started();
    const near = queue.add(t0 + 10 * second, 'near');
    const far = queue.add(t0 + 50 * second, 'far');
    const moved = queue.add(t0 + 31 * second, 'moved');
    queue.add(t0 + 31 * second, 'kept');
    expect([queue.cancel(near), queue.cancel(near)]).toEqual([true, false]);
    expect(queue.cancel(far)).toBe(true);
    clock.advance(30 * second);
    expect(queue.far).toBe(0);
    expect([queue.cancel(moved), queue.cancel(far)]).toEqual([true, false]);
    clock.advance(hour);
    expect(fired).toEqual([['kept', 31 * second]]);
  });

  it('cancels a timer that has taken the place of a cancelled one in the other tier', () => {
    const { clock, queue, fired } = started();
    queue.add(t0 + 50 * second, 'kept');
    expect(queue.cancel(queue.add(t0 + 60 * second, 'far'))).toBe(true);
    expect(queue.cancel(queue.add(t0 + second, 'near'))).toBe(true);
    expect([queue.size, queue.far]).toEqual([1, 1]);
    clock.advance(hour);
    expect(fired).toEqual([['kept', 50 * second]]);
  });

  it('does not take the handle of a fired timer for a new one', () => {
    const { clock, queue, fired } = started();
    const handles = Array.from({ length: 300 }, (_, i) => queue.add(t0 + 1 + i, 'old'));
    clock.advance(300);
    for (let i = 0; i < 300; i++) queue.add(t0 + hour, 'new');
    for (const handle of handles) expect(queue.cancel(handle)).toBe(false);
    clock.advanceTo(t0 + hour);
    expect(fired.filter(([payload]) => payload === 'new')).toHaveLength(300);
  });

  it('fires what a firing adds at a later wake, even when it is due already', () => {
    const clock = new VirtualClock(t0);
    const queue = new TimerQueue<number>(clock);
    const fired: [number, number][] = [];
    queue.start((payloads) => {
      for (const payload of payloads) {
        fired.push([payload, clock.now() - t0]);
        if (payload < 3) queue.add(clock.now(), payload + 1);
      }
    });
    queue.add(t0 + 5, 1);
    clock.advance(10);
    expect(fired).toEqual([
      [1, 5],
      [2, 6],
      [3, 7],
    ]);
  });

  it('lets a firing cancel timers that wait, but not those of its own batch', () => {
    const clock = new VirtualClock(t0);
    const queue = new TimerQueue<string>(clock);
    const fired: string[] = [];
    const answers: boolean[] = [];
    queue.add(t0 + 5, 'a');
    const sibling = queue.add(t0 + 5, 'b');
    const next = queue.add(t0 + 6, 'c');
    queue.start((payloads) => {
      fired.push(...payloads);
      answers.push(queue.cancel(sibling), queue.cancel(next));
    });
    clock.advance(100);
    expect([fired, answers]).toEqual([
      ['a', 'b'],
      [false, true],
    ]);
  });

  it('sleeps on one timer of the clock, and on none when nothing waits', () => {
    const { clock, queue } = started();
    expect(clock.untilNext()).toBeUndefined();
    const handle = queue.add(t0 + 900, 'x');
    expect(clock.untilNext()).toBeLessThanOrEqual(900);
    queue.add(t0 + 7, 'y');
    expect(clock.untilNext()).toBe(7);
    queue.cancel(handle);
    clock.advance(2 * second);
    expect(clock.untilNext()).toBeUndefined();
  });

  it('sets the alarm once for many timers that are overdue, or that a firing adds', () => {
    const clock = new VirtualClock(t0);
    const setTimer = clock.setTimer.bind(clock);
    let alarms = 0;
    clock.setTimer = (delayMs, run) => {
      alarms++;
      return setTimer(delayMs, run);
    };
    const queue = new TimerQueue<string>(clock);
    queue.start((payloads) => {
      if (payloads[0] === 'first') for (let i = 100; i > 0; i--) queue.add(clock.now() + i, 'second');
    });
    for (let i = 0; i < 100; i++) queue.add(t0 - i, 'first');
    expect(alarms).toBe(1);
    clock.advance(1);
    expect([alarms, queue.size]).toEqual([2, 100]);
  });

  it('keeps its timers while stopped, and fires what became due when started again', () => {
    const { clock, queue, fired } = started();
    queue.add(t0 + 100, 'a');
    queue.add(t0 + 300, 'b');
    queue.stop();
    queue.stop();
    queue.add(t0 + 50, 'c');
    clock.advance(200);
    expect([fired, queue.size]).toEqual([[], 3]);
    const again: [string[], number][] = [];
    queue.start((payloads) => again.push([payloads, clock.now() - t0]));
    expect(() => queue.start(() => {})).toThrow(IllegalTransition);
    clock.advance(200);
    expect(again).toEqual([
      [['c', 'a'], 201],
      [['b'], 300],
    ]);
  });

  it('stops from inside a firing', () => {
    const clock = new VirtualClock(t0);
    const queue = new TimerQueue<string>(clock);
    const fired: string[] = [];
    queue.start((payloads) => {
      fired.push(...payloads);
      queue.stop();
    });
    queue.add(t0 + 5, 'a');
    queue.add(t0 + 6, 'b');
    clock.advance(100);
    expect([fired, queue.size, clock.untilNext()]).toEqual([['a'], 1, undefined]);
  });

  it('goes on after a firing throws', () => {
    const clock = new VirtualClock(t0);
    const queue = new TimerQueue<string>(clock);
    const fired: string[] = [];
    queue.start((payloads) => {
      fired.push(...payloads);
      if (payloads.includes('bad')) throw new Error('broken');
    });
    queue.add(t0 + 5, 'bad');
    queue.add(t0 + 6, 'good');
    expect(() => clock.advance(100)).toThrow('broken');
    clock.advance(100);
    expect(fired).toEqual(['bad', 'good']);
  });

  it('runs on the clock of this host', async () => {
    const clock = realClock({
      now: () => Date.now(),
      monotonic: () => performance.now(),
      setTimeout: (run, delayMs) => setTimeout(run, delayMs),
      clearTimeout: (handle) => clearTimeout(handle),
    });
    const queue = new TimerQueue<number>(clock);
    const fired: number[] = [];
    await new Promise<void>((resolve) => {
      queue.start((payloads) => {
        for (const due of payloads) {
          expect(Date.now()).toBeGreaterThanOrEqual(due);
          fired.push(due);
        }
        if (queue.size === 0) resolve();
      });
      for (const delay of [20, 3, 3, 0, -5]) {
        const due = Date.now() + delay;
        queue.add(due, due);
      }
    });
    queue.stop();
    expect(fired).toHaveLength(5);
  });

  it('counts a part of a millisecond as a whole one, on either side', () => {
    const queue = new TimerQueue<string>(new VirtualClock(t0));
    queue.add(t0 + 10.2, 'x');
    expect(queue.runDue(t0 + 10.9)).toEqual([]);
    expect(queue.runDue(t0 + 11)).toEqual(['x']);
  });

  it('refuses a due time that is no time, and spans that would make timers late', () => {
    const clock = new VirtualClock(t0);
    const queue = new TimerQueue<string>(clock);
    expect(() => queue.add(Number.NaN, 'x')).toThrow(InvalidInput);
    expect(() => queue.add(Number.POSITIVE_INFINITY, 'x')).toThrow(InvalidInput);
    expect(queue.size).toBe(0);
    expect(() => new TimerQueue(clock, { drainEvery: 20_000 })).toThrow('lookAhead');
    expect(() => new TimerQueue(clock, { wheelSpan: 10_000 })).toThrow('wheelSpan');
    expect(() => new TimerQueue(clock, { maxSleep: 0 })).toThrow('maxSleep');
  });
});

describe('a timer queue when the wall clock steps', () => {
  it.each([2 * second, hour])('fires on time after a step forward by %i ms that passes nothing', (step) => {
    const { clock, queue, fired } = started();
    queue.add(t0 + step + 10 * second, 'x');
    clock.advance(3 * second);
    clock.step(step);
    clock.advance(hour);
    expect(fired).toEqual([['x', step + 10 * second]]);
  });

  it.each([2 * second, hour])(
    'fires all that a step forward by %i ms passed, in order, in one batch',
    (step) => {
      const clock = new VirtualClock(t0);
      const queue = new TimerQueue<string>(clock);
      const batches: [string[], number][] = [];
      queue.start((payloads) => batches.push([payloads, clock.monotonic()]));
      queue.add(t0 + 100 + step, 'last');
      queue.add(t0 + 100 + step / 2, 'middle');
      queue.add(t0 + 150, 'first');
      clock.advance(100);
      clock.step(step);
      clock.advance(2 * second);
      expect(batches).toHaveLength(1);
      const [[payloads, at]] = batches;
      expect(payloads).toEqual(['first', 'middle', 'last']);
      expect(at).toBeLessThanOrEqual(100 + 1_000);
    },
  );

  it.each([2 * second, hour])('waits for the due time again after a step back by %i ms', (step) => {
    const { clock, queue, fired } = started();
    queue.add(t0 + 5 * second, 'fired before');
    queue.add(t0 + 12 * second, 'near');
    queue.add(t0 + 50 * second, 'far');
    clock.advance(11 * second);
    clock.step(-step);
    expect(fired).toEqual([['fired before', 5 * second]]);
    clock.advance(step);
    expect(fired).toHaveLength(1);
    clock.advance(hour);
    expect(fired.slice(1)).toEqual([
      ['near', 12 * second],
      ['far', 50 * second],
    ]);
  });

  it.each([2 * second, hour])('measures new timers by the new time after a step back by %i ms', (step) => {
    const { clock, queue, fired } = started();
    queue.add(t0 + 2 * hour, 'old');
    clock.advance(11 * second);
    clock.step(-step);
    const now = clock.now();
    queue.add(now + 700, 'near');
    queue.add(now + 40 * second, 'far');
    expect(queue.far).toBe(2);
    clock.advance(41 * second);
    expect(fired).toEqual([
      ['near', now - t0 + 700],
      ['far', now - t0 + 40 * second],
    ]);
  });
});
