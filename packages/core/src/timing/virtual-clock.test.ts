import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../errors.ts';
import { VirtualClock } from './virtual-clock.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the virtual clock', () => {
  it('runs timers by due time, equal ones in the order set, each at its own time', () => {
    const clock = new VirtualClock(1_000);
    const seen: string[] = [];
    const timer = (name: string, delay: number) =>
      clock.setTimer(delay, () => seen.push(`${name}@${clock.now()}`));
    timer('late', 30);
    timer('first', 10);
    timer('second', 10);
    timer('beyond', 41);
    clock.advance(40);
    expect(seen).toEqual(['first@1010', 'second@1010', 'late@1030']);
    expect([clock.now(), clock.monotonic(), clock.untilNext()]).toEqual([1_040, 40, 1]);
  });

  it('runs timers set by timers in the same advance, and a delay of 0 a millisecond later', () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const again = () => {
      seen.push(clock.monotonic());
      clock.setTimer(0, again);
    };
    clock.setTimer(2, again);
    clock.advance(5);
    expect(seen).toEqual([2, 3, 4, 5]);
  });

  it('never runs a cancelled timer, and cancelling one that has run does nothing', () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const ran = clock.setTimer(1, () => seen.push('ran'));
    clock.advance(1);
    const sibling = clock.setTimer(5, () => seen.push('sibling'));
    const cancelled = clock.setTimer(4, () => seen.push('cancelled'));
    clock.setTimer(3, () => sibling.cancel());
    ran.cancel();
    cancelled.cancel();
    cancelled.cancel();
    clock.setTimer(6, () => seen.push('last'));
    clock.advance(10);
    expect(seen).toEqual(['ran', 'last']);
    expect(clock.untilNext()).toBeUndefined();
  });

  it('steps the wall clock without running or delaying a timer', () => {
    const clock = new VirtualClock(10_000);
    const seen: number[] = [];
    clock.setTimer(100, () => seen.push(clock.now()));
    clock.step(-3_600_000 + 3_599_000);
    expect([clock.now(), clock.monotonic(), seen]).toEqual([9_000, 0, []]);
    clock.advance(100);
    expect(seen).toEqual([9_100]);
    clock.step(5_000);
    clock.advanceTo(15_000);
    expect([clock.now(), clock.monotonic()]).toEqual([15_000, 1_000]);
  });

  it('lets promises settle between timers when advanced asynchronously', async () => {
    const clock = new VirtualClock();
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.setTimer(ms, resolve));
    const seen: string[] = [];
    const work = async (name: string) => {
      for (let i = 0; i < 3; i++) {
        await sleep(10);
        await Promise.resolve();
        seen.push(`${name}${i}@${clock.monotonic()}`);
      }
    };
    const done = Promise.all([work('a'), work('b')]);
    await clock.advanceAsync(25, settle);
    expect(seen).toEqual(['a0@10', 'b0@10', 'a1@20', 'b1@20']);
    expect(clock.monotonic()).toBe(25);
    await clock.advanceAsync(5, settle);
    await done;
    expect(seen.slice(4)).toEqual(['a2@30', 'b2@30']);
  });

  it('lets a timer advance the clock itself, and never goes back after it', () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    clock.setTimer(1, () => clock.advance(20));
    clock.setTimer(5, () => seen.push(clock.now()));
    clock.advance(10);
    expect([clock.now(), seen]).toEqual([21, [5]]);
  });

  it('stands at the time of a timer that throws, and goes on from there', () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    clock.setTimer(3, () => {
      throw new Error('broken');
    });
    clock.setTimer(4, () => seen.push(clock.now()));
    expect(() => clock.advance(10)).toThrow('broken');
    expect(clock.now()).toBe(3);
    clock.advance(7);
    expect([clock.now(), seen]).toEqual([10, [4]]);
  });

  it('refuses to go back or to pass a part of a millisecond', () => {
    const clock = new VirtualClock(5);
    expect(() => clock.advance(-1)).toThrow(InvalidInput);
    expect(() => clock.advance(0.5)).toThrow(InvalidInput);
    expect(() => clock.advanceTo(4)).toThrow(InvalidInput);
    expect(() => clock.step(-6)).toThrow(InvalidInput);
    expect(() => new VirtualClock(Number.NaN)).toThrow(InvalidInput);
  });
});
