import { EVERY, TickStage } from '@orrery/testkit/tick-stage';
import { afterEach, describe, expect, it } from 'vitest';

describe('ticks', () => {
  let stage: TickStage;
  afterEach(() => stage.close());
  const dues = async (schedule: number) =>
    (await stage.store.listTicks({ schedule, limit: 1_000 })).map(({ due }) => due).toReversed();

  it('follow an edit within a second, although nobody was told of it', async () => {
    stage = await TickStage.open();
    await stage.start('m1', 0);
    const schedule = await stage.publish();
    await stage.pass(5_000);
    expect((await dues(schedule)).length).toBeGreaterThan(2);
    const off = stage.world.now();
    await stage.store.setSchedule({ id: schedule, enabled: false, nextDue: null, now: off });
    await stage.pass(10_000);
    expect((await dues(schedule)).every((due) => due <= off)).toBe(true);
    const on = stage.world.now();
    const nextDue = Math.ceil((on + 1) / EVERY) * EVERY;
    await stage.store.setSchedule({ id: schedule, enabled: true, nextDue, now: on });
    await stage.pass(1_000 + 2 * EVERY);
    const fired = (await dues(schedule)).filter((due) => due > on);
    expect(fired[0]).toBe(nextDue);
    expect(fired.length).toBeGreaterThan(1);
  });

  it('are fired by a standby within a second while the master that leads them is frozen', async () => {
    stage = await TickStage.open();
    const nodes = new Map([
      ['m1', await stage.start('m1', 0)],
      ['m2', await stage.start('m2', 0)],
    ]);
    const schedule = await stage.publish();
    await stage.pass(5_000);
    // Whoever fired the last one leads it.
    const leader = stage.firedBy.at(-1) ?? '';
    const from = stage.world.now();
    nodes.get(leader)?.pause();
    stage.early.length = 0;
    // Shorter than the session timeout, after which it would be fenced and lead nothing any more.
    await stage.pass(4_900);
    const fired = (await dues(schedule)).filter((due) => due > from && due <= stage.world.now() - 1_000);
    expect(fired.length).toBeGreaterThanOrEqual(3);
    expect(fired).toEqual(fired.map((_, k) => fired[0] + k * EVERY));
    expect(Math.min(...stage.early)).toBeGreaterThan(-1_000);
    nodes.get(leader)?.resume();
    await stage.pass(3_000);
    const all = await dues(schedule);
    expect(new Set(all).size).toBe(all.length);
  });

  it('of a schedule that cannot be read hold up no other', async () => {
    stage = await TickStage.open();
    await stage.start('m1', 0);
    const good = [await stage.publish('a'), await stage.publish('c')];
    const bad = await stage.publish('b', { every: undefined, cron: 'nonsense' });
    good.push(await stage.publish('d'));
    await stage.pass(6_000);
    for (const schedule of good) expect((await dues(schedule)).length).toBeGreaterThan(3);
    expect(await dues(bad)).toEqual([]);
    expect(stage.said.some((line) => line.startsWith(`error schedule ${bad}:`))).toBe(true);
  });
});
