/** The demo of claims (V-DEMO), step by step on the store, with the takers that it names. */
import { limitOf } from '@orrery/core/balance';
import { ownershipSchema } from '@orrery/core/balance/schema';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import vectors from '../../core/fixtures/seed-vectors.json' with { type: 'json' };
import type { Self, Store } from './index.ts';
import { drain, joinMaster, NOW, publish, scheduleOf } from './testing.ts';

const { n, steps } = vectors.demo;
const thresholds = { A: 10, B: 8, C: 4 };

describe.each(testDatabases())('the demo of claims on $name', ({ name, open, close }) => {
  let store: Store;
  let selves: Record<string, Self>;
  let names: number;
  let seen: number;
  beforeEach(async () => {
    store = await open();
    selves = {};
    names = 0;
    seen = 0;
    const masters = Object.entries(thresholds).map(([name, alarmAbove]) => [name, { alarmAbove }]);
    const settings = ownershipSchema.parse({
      mode: 'claim',
      tolerance: n,
      masters: Object.fromEntries(masters),
    });
    await store.setOwnership({ settings, by: 'me', now: NOW });
  });
  afterAll(close);

  const join = async (master: string) => {
    selves[master] = await joinMaster(store, master);
  };
  const create = async (count: number) => {
    for (let k = 0; k < count; k++) await publish(store, `flow${names++}`, [scheduleOf()]);
  };
  /** One attempt of one master: whether it took a free schedule. */
  const claim = async (name: string) => {
    const answer = await store.claimSchedules({ self: selves[name], upTo: 'limit', most: 1, now: NOW });
    if (answer.claimed.length > 0) expect(answer.held).toBeLessThanOrEqual(answer.limit);
    return answer.claimed.length === 1;
  };
  const take = async (order: string) => {
    for (const name of order) expect(await claim(name), `${name} takes one`).toBe(true);
  };
  const createFor = async (takers: string) => {
    for (const taker of takers) {
      await create(1);
      await take(taker);
    }
  };
  /** Drains a master, has others take so many of its schedules, and lets it take the rest again. */
  const balance = async (name: string, takers: string) => {
    const { view } = await store.readHoldings();
    const before = view.masters.find((one) => one.name === name)?.held ?? 0;
    expect((await drain(store, name)).refused).toBeUndefined();
    expect(await claim(name)).toBe(false);
    await take(takers);
    await drain(store, name, false);
    await take(name.repeat(before - takers.length));
  };
  /** A crash that is noticed: the fence frees the schedules and takes the master out of the count, at once. */
  const crash = async (name: string) => {
    const by = Object.keys(selves).find((other) => other !== name) ?? '';
    const { epoch } = selves[name];
    const { fenced } = await store.fence({ self: selves[by], peer: { id: name, epoch, beat: 0 }, now: NOW });
    expect(fenced).toBe(true);
    delete selves[name];
  };
  /** Its schedules are free while it still counts among the masters. */
  const release = async (name: string) => {
    expect((await drain(store, name)).refused).toBeUndefined();
  };

  const script: Record<string, () => Promise<void>> = {
    '1': async () => {
      await join('A');
      await create(9);
      await take('AAAAAAAAA');
    },
    '2': () => createFor('A'),
    '3': () => createFor('A'),
    '4': () => join('B'),
    '5': () => createFor('B'),
    '6': () => createFor('A'),
    '7': () => balance('A', 'BBBBB'),
    '8': () => createFor('ABABA'),
    '9a': async () => {
      await crash('B');
      await take('AAAAAAAA');
    },
    '9b': async () => {
      await release('B');
      await take('AAAAAAAA');
    },
    '10': () => createFor('B'),
    '11': () => join('C'),
    '12': async () => {
      await balance('A', 'C');
      await balance('B', 'CC');
    },
    '13a': async () => {
      await crash('B');
      await take('AAAACCC');
    },
    '13b': async () => {
      await release('B');
      await take('A');
      expect(await claim('A')).toBe(false);
      await take('CCCCCC');
    },
    '14': () => createFor('A'),
    '15': async () => {
      await create(1);
      expect(await claim('A')).toBe(false);
      await take('C');
    },
  };

  const before = (id: string): string | undefined => {
    const at = steps.findIndex((step) => step.id === id);
    return steps[at].from ?? steps[at - 1]?.id;
  };
  /** Plays all steps that lead to this one; alarms are those of the last. */
  const play = async (id: string): Promise<void> => {
    const from = before(id);
    if (from !== undefined) await play(from);
    seen = await lastAlert();
    await script[id]();
  };
  const lastAlert = async () => (await store.listAlerts({ after: 0, limit: 1_000 })).at(-1)?.id ?? 0;
  const alarms = async () => {
    const raised = await store.listAlerts({ after: seen, limit: 1_000 });
    const alarms = raised.filter(({ kind }) => kind === 'claim-alarm');
    return [...new Set(alarms.map((alert) => alert.name))].sort();
  };

  it.each(steps)('step $id: $event', async ({ id, K, S, N, X, alarm }) => {
    await play(id);
    const { view, free } = await store.readHoldings();
    expect({ K: view.schedules, S: view.masters.length, free }).toEqual({ K, S, free: 0 });
    for (const { name } of view.masters) expect(limitOf(view, name)).toBe(N);
    const held = Object.fromEntries(view.masters.map((master) => [master.name, master.held]));
    // A master that was released still counts, and holds nothing.
    expect(held).toEqual('B' in X || !('B' in held) ? X : { ...X, B: 0 });
    expect(await alarms()).toEqual(alarm);
    expect(view.masters.reduce((sum, { held }) => sum + held, 0)).toBe(K);
  });

  // Each order costs a dozen round trips to PostgreSQL, so it gets every 17th.
  const orders = Array.from({ length: 2 ** 7 }, (_, bits) => bits).filter(
    (bits) => name === 'sqlite' || bits % 17 === 8,
  );

  it('places all 7 schedules of step 13b in whichever order A and C see them', async () => {
    await play('12');
    await release('B');
    seen = await lastAlert();
    const outcomes = new Set<string>();
    for (const bits of orders) {
      for (let k = 0; k < 7; k++) {
        const [first, second] = (bits >> k) % 2 === 0 ? 'AC' : 'CA';
        expect((await claim(first)) || (await claim(second))).toBe(true);
      }
      const { view, free } = await store.readHoldings();
      expect(free).toBe(0);
      const [A, , C] = view.masters.map(({ held }) => held);
      outcomes.add(`A=${A} C=${C}`);
      // Joining again frees what they held; they take what they had before.
      for (const name of 'AC') await join(name);
      await take('AAAAAAAAACCC');
    }
    expect([...outcomes].sort()).toEqual(['A=10 C=9', 'A=9 C=10']);
    expect(await alarms()).toEqual(['C']);
  });
});
