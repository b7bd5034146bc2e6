import { ownershipSchema } from '@orrery/core/balance/schema';
import { testSchema } from '@orrery/testkit/databases';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StaleEpoch } from './index.ts';
import { type Actor, RaceStage } from './race-stage.ts';
import { NOW, publish, scheduleOf } from './testing.ts';

describe('claims against each other on PostgreSQL', () => {
  let stage: RaceStage;
  let one: Actor;
  let other: Actor;
  beforeAll(async () => {
    stage = new RaceStage(await testSchema());
  });
  beforeEach(async () => {
    one = await stage.join('one');
    other = await stage.join('other');
    await set('claim');
    await publish(
      one.store,
      'flow',
      Array.from({ length: 10 }, (_, k) => scheduleOf(`s${k}`)),
    );
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  const set = (mode: string) =>
    one.store.setOwnership({ settings: ownershipSchema.parse({ mode }), by: 'me', now: NOW });
  const claim = ({ store, self }: Actor, most = 100) => {
    const claiming = store.claimSchedules({ self, upTo: 'limit', most, now: NOW });
    // It may be refused before the test looks at it.
    claiming.catch(() => {});
    return claiming;
  };
  const held = async () => {
    const { view, free } = await one.store.readHoldings();
    return { ...Object.fromEntries(view.masters.map(({ name, held }) => [name, held])), free };
  };

  it('skips what another is claiming and takes the rest, without waiting', async () => {
    const stop = one.stopBefore('COMMIT');
    const first = claim(one, 4);
    await stop.reached;
    const second = await claim(other);
    stop.release();
    const both = [...(await first).claimed, ...second.claimed];
    expect(second.claimed).toHaveLength(6);
    expect(new Set(both).size).toBe(10);
    expect(await held()).toEqual({ one: 4, other: 6, free: 0 });
  });

  it('counts the first of two claims of one master before the second: it never holds more than its limit', async () => {
    await stage.join('third');
    const stop = one.stopBefore('COMMIT');
    const first = claim(one);
    await stop.reached;
    const second = claim({ ...other, self: one.self });
    await stage.blocked(one.self);
    stop.release();
    expect((await first).claimed).toHaveLength(6);
    expect(await second).toMatchObject({ claimed: [], refused: 'one holds 6 of at most 6' });
  });

  it('frees a claim that commits during the fence, and refuses one that begins later', async () => {
    const fence = () =>
      other.store.fence({
        self: other.self,
        peer: { id: 'one', epoch: one.self.epoch, beat: 0 },
        patience: 60_000,
        now: NOW,
      });
    const stop = one.stopBefore('COMMIT');
    const claiming = claim(one);
    await stop.reached;
    const fencing = fence();
    await stage.blocked(other.self);
    stop.release();
    expect((await claiming).claimed).toHaveLength(10);
    expect((await fencing).fenced).toBe(true);
    expect(await held()).toEqual({ other: 0, free: 10 });
    await expect(claim(one)).rejects.toThrow(StaleEpoch);
  });

  it('frees a claim that commits while its master is drained', async () => {
    const stop = one.stopBefore('COMMIT');
    const claiming = claim(one);
    await stop.reached;
    const asked = { node: 'one', drain: true, timeout: 0, silentAfter: 10_000, actor: 'me', now: NOW };
    const draining = other.store.drainNode(asked);
    await stage.blocked(other.self);
    stop.release();
    expect((await claiming).claimed).toHaveLength(10);
    expect((await draining).refused).toBeUndefined();
    expect(await held()).toEqual({ one: 0, other: 0, free: 10 });
  });

  it('leaves nothing held by a claim that commits during a switch of the mode', async () => {
    const stop = other.stopBefore('COMMIT');
    const claiming = claim(other);
    await stop.reached;
    const switching = set('scope');
    await stage.blocked(one.self);
    stop.release();
    await claiming;
    await switching;
    expect(await held()).toEqual({ one: 0, other: 0, free: 10 });
  });

  it('lets two masters shed one after the other, the second only what still has a taker', async () => {
    await claim(one, 5);
    await claim(other, 5);
    // Four masters may hold 1 + 10 / 3 each; the third has room for them, the fourth takes nothing.
    const third = await stage.join('third');
    const fourth = await stage.join('fourth');
    await third.store.beat({ self: fourth.self, state: 'paused', now: NOW });
    const shed = ({ store, self }: Actor) => store.shedSchedules({ self, most: 100, now: NOW });
    const stop = one.stopBefore('COMMIT');
    const first = shed(one);
    await stop.reached;
    const second = shed(other);
    await stage.blocked(other.self);
    stop.release();
    expect((await first).shed).toHaveLength(1);
    expect((await second).shed).toHaveLength(0);
    await claim(third);
    expect((await shed(other)).shed).toHaveLength(1);
    await claim(third);
    expect(await held()).toEqual({ fourth: 0, one: 4, other: 4, third: 2, free: 0 });
  });

  it('repairs rows that are missing, stale or held by nobody who lives', async () => {
    await claim(one);
    const [missing, orphaned] = (await one.store.listSchedules({})).map(({ id }) => id);
    await stage.query('DELETE FROM holding WHERE schedule = $1', [missing]);
    await stage.query(`UPDATE holding SET holder = 'nobody', epoch = 7 WHERE schedule = $1`, [orphaned]);
    await stage.query(`INSERT INTO holding (schedule, holder, epoch, since) VALUES (-1, 'one', 1, 0)`);
    expect(await one.store.alignHoldings({ now: NOW })).toBe(3);
    expect(await held()).toEqual({ one: 8, other: 0, free: 2 });
    expect(await one.store.alignHoldings({ now: NOW })).toBe(0);
  });
});
