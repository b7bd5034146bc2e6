import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../errors.ts';
import { realClock } from './clock.ts';

/** A host whose time moves only when told, and which remembers what it was asked to sleep. */
function fakeHost() {
  const asked: number[] = [];
  let pending: (() => void) | undefined;
  let time = 0;
  const clock = realClock({
    now: () => 1_000_000 + time,
    monotonic: () => time,
    setTimeout: (run, delayMs) => {
      asked.push(delayMs);
      pending = run;
      return asked.length;
    },
    clearTimeout: (handle: number) => {
      if (handle === asked.length) pending = undefined;
    },
  });
  return {
    clock,
    asked,
    wakeAfter(ms: number) {
      time += ms;
      const run = pending;
      pending = undefined;
      run?.();
    },
  };
}

describe('the clock of a real host', () => {
  it('shows the time of the host', () => {
    const { clock, wakeAfter } = fakeHost();
    wakeAfter(7);
    expect([clock.now(), clock.monotonic()]).toEqual([1_000_007, 7]);
  });

  it('cuts a sleep that is longer than a host can take, and sleeps the rest', () => {
    const { clock, asked, wakeAfter } = fakeHost();
    const longest = 2 ** 31 - 1;
    let runs = 0;
    clock.setTimer(2 * longest + 10, () => runs++);
    wakeAfter(longest);
    wakeAfter(longest);
    expect([runs, asked]).toEqual([0, [longest, longest, 10]]);
    wakeAfter(10);
    expect(runs).toBe(1);
  });

  it('goes back to sleep when the host wakes it too soon', () => {
    const { clock, asked, wakeAfter } = fakeHost();
    let runs = 0;
    clock.setTimer(10, () => runs++);
    wakeAfter(9.6);
    expect([runs, asked]).toEqual([0, [10, 1]]);
    wakeAfter(1);
    expect(runs).toBe(1);
  });

  it('asks for no negative sleep, however long it was itself kept waiting', () => {
    const asked: number[] = [];
    let time = 0;
    const clock = realClock({
      now: () => time,
      monotonic: () => {
        time += 10;
        return time;
      },
      setTimeout: (_run, delayMs) => asked.push(delayMs),
      clearTimeout: () => {},
    });
    clock.setTimer(1, () => {});
    expect(asked).toEqual([1]);
  });

  it('cancels a timer also after its sleep was cut', () => {
    const { clock, wakeAfter } = fakeHost();
    let runs = 0;
    const timer = clock.setTimer(2 ** 31 + 10, () => runs++);
    wakeAfter(2 ** 31 - 1);
    timer.cancel();
    wakeAfter(1_000);
    expect(runs).toBe(0);
  });

  it('treats a delay below one millisecond as one, and refuses one that is no number', () => {
    const { clock, asked } = fakeHost();
    clock.setTimer(-5, () => {});
    expect(asked).toEqual([1]);
    expect(() => clock.setTimer(Number.NaN, () => {})).toThrow(InvalidInput);
    expect(() => clock.setTimer(Number.POSITIVE_INFINITY, () => {})).toThrow(InvalidInput);
  });
});
