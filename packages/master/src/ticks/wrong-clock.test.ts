import { EVERY, TickStage } from '@orrery/testkit/tick-stage';
import { afterEach, describe, expect, it } from 'vitest';

describe('a master whose clock is wrong', () => {
  let stage: TickStage;
  afterEach(() => stage.close());

  /** Each due time up to now has its tick, none was early, and none was skipped. */
  const expectAll = async (schedule: number, from: number) => {
    const ticks = (await stage.store.listTicks({ schedule, limit: 1_000 })).toReversed();
    expect(ticks.filter(({ run }) => run === null)).toEqual([]);
    const first = Math.ceil((from + 1) / EVERY) * EVERY;
    expect(ticks.map(({ due }) => due)).toEqual(ticks.map((_, k) => first + k * EVERY));
    expect(ticks.at(-1)?.due).toBeGreaterThan(stage.world.now() - 3_000);
    expect(Math.max(...stage.early)).toBeLessThanOrEqual(0);
  };

  for (const skew of [90_000, 1_500, -1_500, -90_000]) {
    it(`by ${skew} ms from its start fires nothing early, skips nothing and loses nothing`, async () => {
      stage = await TickStage.open();
      await stage.start('right', 0);
      await stage.start('wrong', skew);
      const from = stage.world.now();
      const schedule = await stage.publish();
      await stage.pass(20_000);
      await expectAll(schedule, from);
    });

    it(`by ${skew} ms all of a sudden does neither, alone or beside another`, async () => {
      stage = await TickStage.open();
      const node = await stage.start('alone', 0);
      const from = stage.world.now();
      const schedule = await stage.publish();
      await stage.pass(5_400);
      node.skew = skew;
      await stage.pass(10_000);
      await stage.start('other', 0);
      await stage.pass(5_000);
      node.skew = 0;
      await stage.pass(10_000);
      await expectAll(schedule, from);
      const doubted = stage.said.some((line) => line.includes('is not trusted'));
      expect(doubted).toBe(Math.abs(skew) > 2_000);
    });
  }

  it('says so among the nodes', async () => {
    stage = await TickStage.open();
    const node = await stage.start('m1', 0);
    node.skew = 90_000;
    await stage.pass(1_100);
    const [doubted] = await stage.store.listNodes();
    expect(doubted.clockFault).toMatch(/set forward by 90000 ms/);
    await stage.pass(3_000);
    const [trusted] = await stage.store.listNodes();
    expect(trusted).toMatchObject({ clockFault: null, clockOffset: expect.closeTo(-90_000, -1) });
  });
});
