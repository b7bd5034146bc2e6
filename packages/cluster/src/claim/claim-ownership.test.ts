/** Masters that claim, in virtual time on a real store: memberships with their ownership, and nothing else. */
import type { OwnershipSettings } from '@orrery/core/balance';
import { ownershipSchema } from '@orrery/core/balance/schema';
import type { Workflow } from '@orrery/core/model';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite, type Store, StoreAway } from '@orrery/store';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STANDBY } from '../firing-order.ts';
import { Membership } from '../membership.ts';
import { type OwnershipChange, RendezvousOwnership } from '../ownership.ts';
import { StoreClock } from '../store-clock.ts';
import { SwitchedOwnership } from '../switched-ownership.ts';

const START = 1_700_000_000_000;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

interface LiveMaster {
  readonly membership: Membership;
  readonly ownership: SwitchedOwnership;
  readonly changes: OwnershipChange[];
  readonly said: string[];
  away: 'before' | 'after' | undefined;
}

let clock: VirtualClock;
let store: Store;
let masters: Map<string, LiveMaster>;
let names: number;
/** Claims that took something, and alerts that they should have raised. */
let claims: number;
let alarms: number;

beforeEach(() => begin());
afterEach(() => store.close());

async function begin(): Promise<void> {
  clock = new VirtualClock(START);
  store = await openSqlite(':memory:', { now: () => clock.now() });
  masters = new Map();
  names = 0;
  claims = 0;
  alarms = 0;
}

const pass = (ms: number) => clock.advanceAsync(ms, settle);
const set = (given: object): Promise<unknown> => {
  const settings: OwnershipSettings = ownershipSchema.parse(given);
  return store.setOwnership({ settings, by: 'test', now: clock.now() });
};

/** The store as a master reaches it: each claim is checked, and may fail before or after it is committed. */
function reached(master: () => LiveMaster | undefined): Store {
  const link = async <T>(operation: () => Promise<T>): Promise<T> => {
    if (master()?.away === 'before') throw new StoreAway('no link', false);
    const answer = await operation();
    if (master()?.away === 'after') throw new StoreAway('no answer', true);
    return answer;
  };
  return {
    ...store,
    claimSchedules: (input) =>
      link(async () => {
        const answer = await store.claimSchedules(input);
        if (answer.claimed.length > 0) {
          claims++;
          expect(answer.held).toBeLessThanOrEqual(answer.limit);
          if (answer.held > answer.alarmAbove) alarms++;
        }
        return answer;
      }),
    shedSchedules: (input) => link(() => store.shedSchedules(input)),
  };
}

async function join(id: string): Promise<LiveMaster> {
  const said: string[] = [];
  const ports = {
    clock: StoreClock.unmeasured(clock),
    store: reached(() => masters.get(id)),
    log: (_: string, text: string) => said.push(text),
  };
  const config = { id, roles: ['master'], address: id, info: {}, beatEvery: 1_000, sessionTimeout: 6_000 };
  const membership = await Membership.join({ ...config, workerLimit: 35_000 }, ports);
  const changes: OwnershipChange[] = [];
  const ownership = new SwitchedOwnership(
    { ...ports, self: membership.self, gate: membership },
    (its) => new RendezvousOwnership(its),
  );
  ownership.listen((change) => changes.push(change));
  const master = { membership, ownership, changes, said, away: undefined };
  masters.set(id, master);
  await membership.begin({ beat: (answer) => ownership.beat(answer) });
  return master;
}

/** Dies without a word: the others find out by its silence. */
function crash(id: string): void {
  masters.get(id)?.membership.end('crashed');
  masters.delete(id);
}

async function leave(id: string): Promise<void> {
  const master = masters.get(id);
  masters.delete(id);
  master?.membership.end('stopped');
  await master?.ownership.stop();
  await master?.membership.leave();
}

async function create(count: number): Promise<void> {
  const spec = { every: 3_600_000, timezone: 'UTC', misfire: { policy: 'fire-all', threshold: 60_000 } };
  const schedules = Array.from({ length: count }, (_, k) => {
    return { ...spec, name: `s${k}`, params: {}, enabled: true };
  });
  const name = `flow${names++}`;
  const workflow = { project: 'default', name, schedules, triggers: [], tasks: [] } as unknown as Workflow;
  const now = clock.now();
  const due = Object.fromEntries(schedules.map((schedule) => [schedule.name, now + 3_600_000]));
  await store.publishWorkflow({ workflow, hash: name, source: '', note: '', author: '', due, now });
}

async function held(): Promise<Record<string, number>> {
  const { view, free } = await store.readHoldings();
  return { ...Object.fromEntries(view.masters.map(({ name, held }) => [name, held])), free };
}

/** The schedules that each master fires at their due time, by its own order. */
async function fired(): Promise<Record<string, number>> {
  const ids = (await store.listSchedules({})).map(({ id }) => id);
  const counts = [...masters].map(([name, { ownership }]) => {
    return [name, ids.filter((id) => ownership.order.delayOf(id) === 0).length];
  });
  return Object.fromEntries(counts);
}

const drain = (node: string, on: boolean) =>
  store.drainNode({
    node,
    drain: on,
    timeout: 60_000,
    silentAfter: 10_000,
    actor: 'test',
    now: clock.now(),
  });

describe('masters that claim', () => {
  it('share what is free evenly, whoever is first, and fire what they hold', async () => {
    await set({ mode: 'claim' });
    for (const id of ['a', 'b', 'c']) await join(id);
    await pass(2_000);
    await create(100);
    await pass(5_000);
    const { a, b, c, free } = await held();
    expect([a, b, c, free].sort((x, y) => x - y)).toEqual([0, 32, 34, 34]);
    expect(await fired()).toEqual({ a, b, c });
  });

  it('take new schedules with their next beat, and hold on to those that are edited', async () => {
    await set({ mode: 'claim' });
    await join('a');
    await pass(2_000);
    await create(3);
    await pass(1_500);
    expect(await held()).toEqual({ a: 3, free: 0 });
    const [{ id }] = await store.listSchedules({});
    await store.setSchedule({ id, enabled: false, nextDue: null, now: clock.now() });
    expect(await held()).toEqual({ a: 2, free: 0 });
  });

  it('move nothing when one joins, unless another holds more than its limit', async () => {
    await set({ mode: 'claim' });
    await create(11);
    await join('a');
    await pass(3_000);
    await join('b');
    await pass(90_000);
    expect(await held()).toEqual({ a: 11, b: 0, free: 0 });
    // With a third the limit falls to 1 + 11 / 2.
    const { said } = await join('c');
    await pass(90_000);
    const { a, b, c } = await held();
    expect(a).toBe(6);
    expect(b + c).toBe(5);
    expect(masters.get('a')?.said).toContain('a gave back 5 schedules above its limit');
    expect(said).not.toContain('c gave back');
    const before = claims;
    await pass(300_000);
    expect(claims).toBe(before);
  });

  it('hold everything again after a crash, a leave and a drain', async () => {
    await set({ mode: 'claim' });
    for (const id of ['a', 'b', 'c']) await join(id);
    await pass(2_000);
    await create(30);
    await pass(5_000);
    crash('c');
    await pass(9_000);
    expect(await held()).toEqual({ a: 15, b: 15, free: 0 });
    expect(await fired()).toEqual({ a: 15, b: 15 });
    await join('c');
    expect((await drain('b', true)).refused).toBeUndefined();
    await pass(4_000);
    expect(await held()).toMatchObject({ b: 0, free: 0 });
    expect(await fired()).toMatchObject({ b: 0 });
    await drain('b', false);
    await pass(4_000);
    // Nothing is free, so nothing moves: it takes part in what comes next.
    expect(await held()).toMatchObject({ b: 0, free: 0 });
    await leave('a');
    await pass(4_000);
    expect(await held()).toEqual({ b: 15, c: 15, free: 0 });
  });

  it('take a schedule that nobody claims by share once it was left over for two beats', async () => {
    await set({ mode: 'claim', masters: { a: { weight: 9 } } });
    await join('a');
    await join('b');
    await store.beat({ self: masters.get('a')!.membership.self, state: 'acting', now: clock.now() });
    masters.get('a')!.away = 'before';
    await create(10);
    await pass(20_000);
    // The share of b is 1 of 10, its limit 1 + 10 / 1.
    expect(await held()).toEqual({ a: 0, b: 10, free: 0 });
  });

  it('find out what they hold after a claim of which nobody knows whether it was committed', async () => {
    await set({ mode: 'claim' });
    const { said } = await join('a');
    await pass(1_500);
    masters.get('a')!.away = 'after';
    await create(5);
    await pass(1_000);
    expect(await held()).toEqual({ a: 5, free: 0 });
    expect(await fired()).toEqual({ a: 0 });
    await pass(1_000);
    expect(await fired()).toEqual({ a: 5 });
    masters.get('a')!.away = undefined;
    await pass(60_000);
    expect(said.filter((line) => line.includes('could not be claimed'))).toHaveLength(1);
    expect(said).toContain('schedules are claimed again');
  });

  it('stand by for what others hold, and for what nobody holds', async () => {
    await set({ mode: 'claim' });
    await join('a');
    await join('b');
    await pass(2_000);
    await create(20);
    await pass(5_000);
    const ids = (await store.listSchedules({})).map(({ id }) => id);
    const { order } = masters.get('a')!.ownership;
    const delays = new Set(ids.map((id) => order.delayOf(id)));
    expect([...delays].sort((x, y) => x - y)).toEqual([0, STANDBY.second]);
    expect(new Set(ids.map((id) => order.leaderOf(id)))).toEqual(new Set(['a', '']));
    expect(order.isAlone).toBe(false);
  });

  it('warn when fewer than three of them run', async () => {
    await set({ mode: 'claim' });
    const { said } = await join('a');
    await pass(90_000);
    const warning = '1 masters run; with fewer than 3 a failure leaves none to spare';
    expect(said.filter((line) => line === warning)).toHaveLength(1);
  });

  it('go over from one mode to the other and back while they run', async () => {
    await create(40);
    for (const id of ['a', 'b', 'c']) await join(id);
    await pass(3_000);
    const sum = async () => Object.values(await fired()).reduce((x, y) => x + y, 0);
    expect(await sum()).toBe(40);
    expect(await held()).toMatchObject({ free: 40 });
    await set({ mode: 'claim' });
    await pass(4_000);
    expect(await held()).toMatchObject({ free: 0 });
    expect(await sum()).toBe(40);
    const last = masters.get('a')!.changes.at(-1);
    expect(last?.order).toBe(masters.get('a')!.ownership.order);
    await set({ mode: 'scope' });
    await pass(2_000);
    expect(await held()).toMatchObject({ free: 40 });
    expect(await sum()).toBe(40);
  });

  it('follow other settings of their mode: a lower threshold raises the alarm with the next claim only', async () => {
    await set({ mode: 'claim', alarmAbove: 5 });
    await create(5);
    await join('a');
    await pass(3_000);
    await set({ mode: 'claim', alarmAbove: 2 });
    await pass(60_000);
    expect(await store.listAlerts({ after: 0, limit: 9 })).toEqual([]);
    await create(1);
    await pass(2_000);
    expect(await store.listAlerts({ after: 0, limit: 9 })).toMatchObject([
      { kind: 'claim-alarm', name: 'a' },
    ]);
  });
});

const events = fc.array(
  fc.record({
    kind: fc.constantFrom('create', 'join', 'crash', 'leave', 'drain', 'undrain', 'lose', 'mode'),
    pick: fc.nat(1_000),
    wait: fc.integer({ min: 0, max: 12_000 }),
  }),
  { maxLength: 12 },
);

it('hold every schedule once within a sweep, never above the limit at a claim, whatever happens', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.integer({ min: 1, max: 3 }), events, async (tolerance, list) => {
        const settings = { tolerance, alarmAbove: 6 };
        await set({ mode: 'claim', ...settings });
        for (let k = 0; k <= tolerance; k++) await join(`m${k}`);
        let joined = tolerance + 1;
        for (const { kind, pick, wait } of list) {
          const live = [...masters.keys()];
          const name = live[pick % live.length];
          if (kind === 'create') await create(pick % 15);
          if (kind === 'join' && live.length < 6) await join(`m${joined++}`);
          if (kind === 'crash' && live.length > 1) crash(name);
          if (kind === 'leave' && live.length > 1) await leave(name);
          if (kind === 'drain') await drain(name, true);
          if (kind === 'undrain') await drain(name, false);
          if (kind === 'lose') masters.get(name)!.away = 'after';
          if (kind === 'mode') await set({ mode: pick % 2 === 0 ? 'scope' : 'claim', ...settings });
          await pass(wait);
        }
        await set({ mode: 'claim', ...settings });
        for (const [name, master] of masters) {
          master.away = undefined;
          await drain(name, false);
        }
        await pass(50_000);
        const { view, free } = await store.readHoldings();
        expect(free).toBe(0);
        expect(view.masters.map(({ name }) => name)).toEqual([...masters.keys()].sort());
        expect(view.masters.reduce((sum, one) => sum + one.held, 0)).toBe(view.schedules);
        const counts = Object.fromEntries(view.masters.map((one) => [one.name, one.held]));
        expect(await fired()).toEqual(counts);
        const raised = await store.listAlerts({ after: 0, limit: 10_000 });
        expect(raised.filter(({ kind }) => kind === 'claim-alarm')).toHaveLength(alarms);
        // And it stays so.
        const before = claims;
        await pass(120_000);
        expect(claims).toBe(before);
      })
      .beforeEach(begin)
      .afterEach(async () => {
        for (const { membership } of masters.values()) membership.end('over');
        await store.close();
      }),
    { numRuns: 25 },
  );
  await begin();
});
