import { type Plan, planByRange, planHash } from '@orrery/core/shard';
import type { Self } from '@orrery/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;
let ids: number[];
const nodes = new Map<string, Self>();

beforeEach(async () => {
  api = await testApi();
  for (const name of ['a', 'b', 'c', 'd'])
    await api.publish(`name: ${name}\nschedule: 0 12 * * *\ntasks: [{name: x, type: shell}]`);
  ids = (await api.store.listSchedules({})).map(({ id }) => id);
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const info = {
  registry: 'zookeeper h1:2181',
  cluster: 'main',
  registryTimeout: '4000',
  onRegistryLoss: 'pause',
};

async function join(name: string, registry: string | null = 'zookeeper main 1'): Promise<void> {
  const { now, store } = api;
  const { epoch } = await store.joinNode({
    ...{ id: name, roles: ['master'], address: name, now },
    ...{ registry, info: registry === null ? {} : info },
  });
  nodes.set(name, { node: name, epoch });
}

/** A plan of these masters, recorded and adopted by them. */
async function plan(number: number, names: readonly string[], reason: string): Promise<Plan> {
  const { store, now } = api;
  const made = planByRange({
    ...{ number, strategy: 'range', nodes: names, total: ids.length },
    idAt: (rank) => ids[rank - 1],
  });
  const self = nodes.get(names[0]) as Self;
  await store.recordPlan({
    self,
    plan: {
      ...{ number, mode: 'scope', strategy: 'range', leader: names[0], reason, schedules: 4, moved: 2 },
      hash: planHash(made),
      body: JSON.stringify(made),
      writtenAt: now,
    },
  });
  for (const name of names)
    await store.beat({ self: nodes.get(name) as Self, plan: { number, hash: planHash(made) }, now });
  return made;
}

describe('the cluster', () => {
  it('shows leader, registry with its agreed session timeout, plan and shares', async () => {
    await api.store.leaveNode({ self: { node: 'm1', epoch: 1 }, now: api.now });
    for (const name of ['k1', 'k2']) await join(name);
    await plan(7, ['k1', 'k2'], 'k2 joined');
    expect((await api.get('/cluster')).body).toMatchObject({
      mode: 'scope',
      leader: 'k1',
      registry: { server: 'zookeeper h1:2181', cluster: 'main', sessionTimeout: 4_000, onLoss: 'pause' },
      plan: { number: 7, reason: 'k2 joined', masters: ['k1', 'k2'], adoptedAt: null },
      masters: [
        { id: 'k1', state: 'alive', plan: 7, share: 2 },
        { id: 'k2', state: 'alive', plan: 7, share: 2 },
      ],
      problems: [],
    });
  });

  it('says what is wrong: different registries, a plan that was not adopted, another plan of that number', async () => {
    for (const name of ['k1', 'k2']) await join(name);
    await join('k3', 'etcd main 9');
    await plan(1, ['k1', 'k2'], 'k1 was elected');
    const self = nodes.get('k2') as Self;
    await api.store.beat({ self, plan: { number: 1, hash: 'other' }, now: api.now });
    expect((await api.get('/cluster')).body.problems).toEqual([
      'masters use different registries; give all the same --registry and --cluster',
      'plan 1 is not adopted yet by k3',
      'k2 holds another plan 1 than the leader recorded',
    ]);
  });

  it('has neither leader nor plan without a registry', async () => {
    const { body } = await api.get('/cluster');
    expect(body).toMatchObject({ leader: null, registry: null, plan: null, problems: [] });
    expect((await api.get(`/schedules/${ids[0]}/holder`)).body).toMatchObject({
      holder: null,
      why: expect.stringContaining('a hash over the masters'),
    });
  });
});

describe('plans', () => {
  it('are listed with their reasons, page by page', async () => {
    await join('k1');
    for (const number of [1, 2, 3]) await plan(number, ['k1'], `reason ${number}`);
    const first = (await api.get('/plans?limit=2')).body;
    expect(first.plans.map(({ reason }: { reason: string }) => reason)).toEqual(['reason 3', 'reason 2']);
    expect(first.next).toBe('/api/v1/plans?limit=2&before=2');
    expect((await api.get('/plans?limit=2&before=2')).body).toMatchObject({
      plans: [{ number: 1 }],
      next: null,
    });
    expect((await api.get('/plans?limit=0')).status).toBe(400);
  });

  it('say who holds a schedule, since which plan and why', async () => {
    for (const name of ['k1', 'k2', 'k3']) await join(name);
    await plan(1, ['k1', 'k2'], 'k1 was elected');
    await plan(2, ['k1', 'k2', 'k3'], 'k3 joined');
    await plan(3, ['k1', 'k2', 'k3'], 'the largest share was more than 1.2 times the smallest');
    expect((await api.get(`/schedules/${ids[0]}/holder`)).body).toMatchObject({
      schedule: ids[0],
      mode: 'scope',
      holder: 'k1',
      plan: 1,
      why: 'plan 1 of k1 gives it to k1: k1 was elected',
    });
    expect((await api.get(`/schedules/${ids[3]}/holder`)).body).toMatchObject({
      holder: 'k3',
      plan: 2,
      why: 'plan 2 of k1 gives it to k3: k3 joined',
    });
    expect((await api.get('/schedules/999999/holder')).status).toBe(404);
  });

  it('say which schedules they give to whom, and what changed hands', async () => {
    for (const name of ['k1', 'k2', 'k3']) await join(name);
    await plan(1, ['k1', 'k2'], 'k1 was elected');
    await plan(2, ['k1', 'k2', 'k3'], 'k3 joined');
    const [a, b] = ids;
    expect((await api.get('/plans/2')).body).toMatchObject({
      number: 2,
      parts: [
        { from: null, to: a, master: 'k1', before: 'k1', schedules: 1 },
        { from: a + 1, to: b, master: 'k2', before: 'k1', schedules: 1 },
        { from: b + 1, to: null, master: 'k3', before: 'k2', schedules: 2 },
      ],
    });
    // Of the plan before the first one nothing is known.
    expect((await api.get('/plans/1')).body.parts).toMatchObject([{ before: 'k1' }, { before: 'k2' }]);
    expect((await api.get('/plans/3')).status).toBe(404);
    expect((await api.get('/plans/x')).status).toBe(400);
  });
});

describe('what happened to the cluster', () => {
  const words = async (query: string) => {
    const { events, next } = (await api.get(`/cluster/events?${query}`)).body;
    return { next, said: events.map((one: { what: string; node: string }) => `${one.node} ${one.what}`) };
  };

  it('lists joins, losses, drains and plans from the newest, page by page, none twice or left out', async () => {
    for (const name of ['k1', 'k2', 'k3']) await join(name);
    await plan(1, ['k1', 'k2', 'k3'], 'k1 was elected');
    const { store } = api;
    const self = nodes.get('k1') as Self;
    const epoch = nodes.get('k2')?.epoch as number;
    const beat = (await store.listNodes()).find(({ id }) => id === 'k2')?.beat as number;
    await store.fence({ self, peer: { id: 'k2', epoch, beat }, now: api.now });
    await plan(2, ['k1', 'k3'], 'k2 is gone');
    await store.leaveNode({ self: nodes.get('k3') as Self, now: api.now });
    const all = await words('limit=100');
    expect(all.next).toBeNull();
    expect(all.said.slice(0, 2)).toEqual(['k3 left', 'k2 fenced']);
    expect(all.said.filter((one: string) => one.endsWith('plan'))).toEqual(['k1 plan', 'k1 plan']);
    const paged: string[] = [];
    for (let path: string | null = '/api/v1/cluster/events?limit=2'; path !== null; ) {
      const page = await words(path.split('?')[1]);
      expect(page.said.length).toBeLessThanOrEqual(2);
      paged.push(...page.said);
      path = page.next;
    }
    expect(paged).toEqual(all.said);
    expect((await words('node=k2')).said).toEqual(['k2 fenced', 'k2 joined']);
    expect((await api.get('/cluster/events?node=k2')).body.events[0]).toMatchObject({
      by: 'k1',
      kind: 'master',
      epoch,
      runs: 0,
      plan: null,
    });
    expect((await api.get('/cluster/events?before=x')).status).toBe(400);
  });

  it('names who drained or forgot a node only to callers with all projects', async () => {
    const token = 'the-token-of-the-server-under-test';
    const walled = await testApi({ token });
    const as = (text: string) => {
      walled.headers.authorization = `Bearer ${text}`;
    };
    as(token);
    for (const name of ['w1', 'w2']) await walled.hand.joinWorker(name, 1);
    const by = (await walled.post('/tokens', { name: 'alice', role: 'operator' })).body.token;
    const member = (await walled.post('/tokens', { name: 'bob', role: 'admin', project: 'etl' })).body.token;
    as(by);
    for (const what of ['drain', 'undrain'])
      expect((await walled.post(`/nodes/w1/${what}`, {})).status).toBe(200);
    const read = async () => {
      const { events } = (await walled.get('/cluster/events?node=w1')).body;
      const { changes } = (await walled.get('/overview?project=etl')).body;
      return [...events, ...changes.filter(({ kind }: { kind: string }) => kind === 'worker')].map(
        (each) => `${each.what ?? each.action} ${each.by === undefined ? each.actor : each.by}`,
      );
    };
    const joined = (await read()).filter((each) => each.startsWith('joined'));
    expect(await read()).toEqual(['undrain alice', 'drain alice', ...joined, 'undrain alice', 'drain alice']);
    as(member);
    expect(await read()).toEqual(['undrain null', 'drain null', ...joined, 'undrain null', 'drain null']);
    await walled.app.close();
    await walled.store.close();
  });
});
