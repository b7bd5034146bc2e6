import { VirtualClock } from '@orrery/core/timing';
import { openSqlite, type Store, StoreAway } from '@orrery/store';
import { casesOf, notUnderstood, wordsOf } from '@orrery/testkit/cases/recorded';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Member, Membership, type MembershipConfig } from './membership.ts';
import { StoreClock } from './store-clock.ts';

const START = 1_700_000_000_000;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

let clock: VirtualClock;
let inner: Store;
let away = false;

beforeEach(async () => {
  clock = new VirtualClock(START);
  inner = await openSqlite(':memory:');
  away = false;
});
afterEach(() => inner.close());

/** The store as a node reaches it. */
function reached(): Store {
  return new Proxy(inner, {
    get: (target, name) => {
      const operation = Reflect.get(target, name);
      if (typeof operation !== 'function') return operation;
      return (...input: never[]) =>
        away ? Promise.reject(new StoreAway('no link', false)) : operation(...input);
    },
  });
}

async function join(id: string, more: Partial<MembershipConfig> = {}, member: Member = {}) {
  const config = { id, roles: ['master'], address: id, info: {}, beatEvery: 1_000, sessionTimeout: 6_000 };
  const membership = await Membership.join(
    { ...config, workerLimit: 35_000, ...more },
    {
      clock: StoreClock.unmeasured(clock),
      store: reached(),
      log: () => {},
      measure: () => ({ cpu: loads[id] ?? load }),
    },
  );
  await membership.begin(member);
  return membership;
}

let load = 0;
/** Of those that are not as loaded as all others. */
const loads: Record<string, number> = {};
const pass = (ms: number) => clock.advanceAsync(ms, settle);

describe('a membership', () => {
  it('acts once it has joined, and says so with its beats', async () => {
    const membership = await join('m1');
    expect(membership.state).toBe('acting');
    expect(membership.refusal('start')).toBeUndefined();
    expect(await inner.listNodes()).toMatchObject([{ id: 'm1', state: 'acting', epoch: 1 }]);
    membership.end('stopped');
    expect(membership.refusal('hear')).toBe('m1 is over');
  });

  it('pauses past two thirds of its session timeout without a committed beat, and resumes by itself', async () => {
    const membership = await join('m1');
    away = true;
    await pass(3_500);
    expect(membership.state).toBe('acting');
    await pass(1_000);
    expect(membership.state).toBe('paused');
    for (const deed of ['adopt', 'start', 'fire', 'dispatch', 'sweep'] as const)
      expect(membership.refusal(deed)).toMatch(/^m1 is paused: the store has confirmed no beat for /);
    expect(membership.refusal('hear')).toBeUndefined();
    away = false;
    await pass(1_500);
    expect(membership.state).toBe('acting');
    membership.end('stopped');
  });

  it('is paused in the first turn after it was frozen, before any timer rang', async () => {
    const membership = await join('m1');
    const frozen = clock.monotonic.bind(clock);
    clock.monotonic = () => frozen() + 10_000;
    expect(membership.refusal('fire')).toMatch(/^m1 is paused: the store has confirmed no beat for /);
    membership.end('stopped');
  });

  it('drains when it is asked to, also after a pause, and acts again when that is taken back', async () => {
    const membership = await join('m1');
    await join('m2');
    const ask = (drain: boolean) =>
      inner.drainNode({ node: 'm1', drain, timeout: 0, silentAfter: 10_000, actor: 'me', now: clock.now() });
    expect(await ask(true)).toMatchObject({ refused: undefined });
    await pass(1_000);
    expect(membership.state).toBe('draining');
    expect(membership.refusal('start')).toBe('m1 is draining');
    expect(membership.refusal('dispatch')).toBeUndefined();
    away = true;
    await pass(5_000);
    expect(membership.state).toBe('paused');
    away = false;
    await pass(2_000);
    expect(membership.state).toBe('draining');
    await ask(false);
    await pass(1_000);
    expect(membership.state).toBe('acting');
    membership.end('stopped');
  });

  it('is over when its epoch is, unless it may join again', async () => {
    const reasons: string[] = [];
    const first = await join('m1', {}, { over: (reason) => reasons.push(reason) });
    const api = await join('a1', { roles: ['api'], workerLimit: undefined, rejoins: true });
    await inner.joinNode({ id: 'm1', roles: ['master'], address: 'm1', info: {}, now: clock.now() });
    await inner.leaveNode({ self: api.self, now: clock.now() });
    await pass(3_000);
    expect(reasons).toHaveLength(1);
    expect(first.state).toBe('over');
    expect(api).toMatchObject({ state: 'acting', self: { node: 'a1', epoch: 2 } });
    api.end('stopped');
  });

  it('fences a peer whose beat stands still for its session timeout, and nobody after its own link was bad', async () => {
    const second = await join('m2');
    const first = await join('m1');
    const fenced = async () => (await inner.listNodes()).find(({ id }) => id === 'm2')?.fenced;
    second.end('frozen');
    await pass(4_000);
    away = true;
    await pass(3_000);
    away = false;
    await pass(5_000);
    expect(await fenced()).toBe(0);
    await pass(3_000);
    expect(await fenced()).toBe(1);
    first.end('stopped');
  });

  it('says with the same beat that a dead peer or a lost worker left something to take up', async () => {
    let freed = 0;
    const m1 = await join('m1', {}, { freed: () => freed++ });
    const m2 = await join('m2');
    const worker = { worker: 'w1', address: '', slots: 1, groups: ['default'], now: START };
    await inner.joinWorker({ self: m1.self, ...worker });
    m2.end('gone');
    await pass(7_000);
    expect(freed).toBe(1);
    await pass(36_000);
    expect(freed).toBe(2);
    expect(await inner.listWorkers()).toMatchObject([{ id: 'w1', lost: 1 }]);
    m1.end('stopped');
  });

  it('leaves the judgement to its judge', async () => {
    const judge = {
      dead: (peers: readonly never[]) => peers.map((peer) => ({ peer, reason: 'lost its session' })),
      confirmed: () => {},
      forget: () => {},
      verdictIn: () => undefined,
      doubt: () => doubt,
    };
    let doubt: string | undefined;
    await inner.joinNode({ id: 'm2', roles: ['master'], address: 'm2', info: {}, now: clock.now() });
    const config = { id: 'm1', roles: ['master'], address: '', info: {}, beatEvery: 1_000 };
    const membership = await Membership.join(
      { ...config, sessionTimeout: 6_000, workerLimit: 35_000 },
      { clock: StoreClock.unmeasured(clock), store: inner, log: () => {}, judge: judge as never },
    );
    await membership.begin({});
    expect((await inner.listNodes()).map(({ id, fenced }) => [id, fenced])).toEqual([
      ['m1', 0],
      ['m2', 1],
    ]);
    doubt = 'the registry is away';
    expect(membership.state).toBe('paused');
    membership.end('stopped');
  });

  it('starts nothing above its limits of load, and says why', async () => {
    load = 0.5;
    const membership = await join('m1', { loadLimits: { cpu: 0.9 } });
    expect(membership.refusal('start')).toBeUndefined();
    load = 0.95;
    await pass(1_000);
    expect(membership.refusal('start')).toBe('m1 is overloaded: processor use 95 % is above 90 %');
    expect(membership.refusal('adopt')).toBeUndefined();
    expect((await inner.listNodes())[0].reason).toContain('processor use 95 %');
    load = 0.1;
    await pass(1_000);
    expect(membership.refusal('start')).toBeUndefined();
    membership.end('stopped');
  });
});

/**
 * There a table says which of its slots each master takes commands of; here masters claim from one queue. What both
 * must know is who takes part: as many as are live and not busy.
 */
describe('DolphinScheduler slot cases', () => {
  it.each(casesOf('slots'))('$id: who takes work', async ({ input, expect: expected }) => {
    const words = wordsOf<{ masters: string[]; after?: string }>(input, ['masters', 'after']);
    const { totalSlots, valid } = wordsOf<{ totalSlots: number; valid?: boolean }>(expected, [
      ...['totalSlots', 'valid'],
    ]);
    const masters: Membership[] = [];
    for (const [k, said] of words.masters.entries()) masters.push(await joinAs(`m${k}`, said));
    for (const [k, said] of leaving(words.after).entries())
      (await joinAs(`gone${k}`, said)).end('it was removed');
    await pass(10_000);
    expect(masters.filter((one) => one.refusal('start') === undefined)).toHaveLength(totalSlots);
    const self = masters[words.masters.findIndex((said) => said.endsWith('(self)'))];
    if (valid !== undefined) expect(self.refusal('start') === undefined).toBe(valid);
    // Those that left count for nobody.
    const live = (await inner.listNodes()).filter(({ fenced }) => !fenced).map(({ id }) => id);
    expect(live).toEqual(masters.map(({ self: { node } }) => node));
    for (const master of masters) master.end('stopped');
  });

  /** `NORMAL`, `BUSY`, with `(self)` for the one that asks. */
  function joinAs(id: string, said: string): Promise<Membership> {
    const [, state] = /^(NORMAL|BUSY)(?:\(self\))?$/.exec(said) ?? [];
    if (state === undefined) throw notUnderstood(said);
    loads[id] = state === 'BUSY' ? 0.95 : 0.1;
    return join(id, { loadLimits: { cpu: 0.9 } });
  }

  /** `one NORMAL and the BUSY one removed`: who was there before. */
  function leaving(after: string | undefined): string[] {
    if (after === undefined) return [];
    const [, who] = /^(.*) removed$/.exec(after) ?? [];
    return (who ?? after).split(' and ').map((text) => {
      const [, state] = /^(?:one|the) (NORMAL|BUSY)(?: one)?$/.exec(text) ?? [];
      if (state === undefined) throw notUnderstood(after);
      return state;
    });
  }
});
