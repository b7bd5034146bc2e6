import { VirtualClock } from '@orrery/core/timing';
import { describe, expect, it } from 'vitest';
import { StoreClock } from './store-clock.ts';

const START = 1_700_000_000_000;

/** A machine whose clock is off, the store's clock, and beats that take a moment. */
class Stage {
  readonly world = new VirtualClock(START);
  skew: number;
  readonly clock: StoreClock;

  constructor(skew = 0) {
    this.skew = skew;
    const { world } = this;
    this.clock = new StoreClock({
      now: () => world.now() + this.skew,
      monotonic: () => world.monotonic(),
      setTimer: (delay, run) => world.setTimer(delay, run),
    });
  }

  /** A beat that is `there` on its way to the store and `back` on its way home. */
  beat(there = 3, back = 2): void {
    const sentAt = this.clock.moment();
    this.world.advance(there);
    const storeTime = this.world.now();
    this.world.advance(back);
    this.clock.learn(sentAt, this.clock.moment(), storeTime);
  }

  /** By how much the clock is wrong. */
  get error(): number {
    return Math.abs(this.clock.now() - this.world.now());
  }
}

describe("the store's time on a machine", () => {
  it('is not trusted before the first beat', () => {
    const { clock } = new Stage();
    expect(clock.trusted).toBe(false);
    expect(clock.doubt).toMatch(/not measured yet/);
  });

  it('is a whole number, although monotonic time is not', () => {
    const { world, clock: _, ...stage } = { ...new Stage(), skew: -90_000 };
    const clock = new StoreClock({
      now: () => world.now() + stage.skew,
      monotonic: () => world.monotonic() / 1.7,
      setTimer: (delay, run) => world.setTimer(delay, run),
    });
    const beat = () => {
      const sentAt = clock.moment();
      world.advance(3);
      clock.learn(sentAt, clock.moment(), world.now());
    };
    beat();
    expect(clock.now() % 1).toBe(0);
    stage.skew = 600_000;
    world.advance(1);
    expect([clock.trusted, clock.now() % 1]).toEqual([false, 0]);
  });

  it('is its own where that is right, however slow its beats are', () => {
    const stage = new Stage();
    for (const [there, back] of [
      [1, 900],
      [900, 1],
      [3, 3],
    ]) {
      stage.beat(there, back);
      expect([stage.clock.trusted, stage.clock.offset, stage.error]).toEqual([true, 0, 0]);
    }
  });

  it.each([90_000, 1_500, -1_500, -90_000])('is right on one whose clock is %i ms ahead', (skew) => {
    const stage = new Stage(skew);
    stage.beat();
    expect(stage.error).toBeLessThan(5);
    // Far off it must be measured twice.
    expect(stage.clock.trusted).toBe(Math.abs(skew) < 5_000);
    if (!stage.clock.trusted)
      expect(stage.clock.doubt).toMatch(skew > 0 ? /90\d{3} ms ahead of the store/ : /behind the store/);
    stage.world.advance(1_000);
    stage.beat();
    expect(stage.clock.trusted).toBe(true);
    expect(stage.error).toBeLessThan(5);
  });

  it.each([90_000, -90_000])('goes on by the monotonic clock when the other jumps by %i ms', (jump) => {
    const stage = new Stage();
    stage.beat();
    stage.world.advance(400);
    stage.skew += jump;
    expect(stage.clock.trusted).toBe(false);
    expect(stage.error).toBe(0);
    stage.beat();
    expect([stage.clock.trusted, stage.error < 5]).toEqual([false, true]);
    stage.beat();
    expect([stage.clock.trusted, stage.error < 5]).toEqual([true, true]);
  });

  it('is trusted through a small step, which the next beat measures', () => {
    const stage = new Stage();
    stage.beat();
    stage.skew += 1_500;
    expect(stage.clock.trusted).toBe(true);
    stage.beat();
    expect([stage.clock.trusted, stage.error < 5]).toEqual([true, true]);
  });

  it("is doubted when the store's own clock jumps, until two beats agree", () => {
    const stage = new Stage();
    stage.beat();
    const jumped = (by: number) => {
      const sentAt = stage.clock.moment();
      stage.world.advance(4);
      stage.clock.learn(sentAt, stage.clock.moment(), stage.world.now() + by);
      return stage.clock.trusted;
    };
    expect([jumped(10_000), jumped(20_000), jumped(40_000), jumped(40_000), jumped(40_000)]).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});
