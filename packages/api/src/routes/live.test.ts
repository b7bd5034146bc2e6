import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../listen.ts';
import { StreamClient } from '../live/testing.ts';
import { type TestApi, testApi } from '../testing.ts';

let api: TestApi;
let server: RunningApi;
let clients: StreamClient[];
beforeEach(async () => {
  api = await testApi();
  clients = [];
  server = await startApi(api.options, { port: 0 });
  await api.publish('name: w\ntasks: [{name: a, type: shell}, {name: b, type: shell, needs: [a]}]');
});
afterEach(async () => {
  for (const client of clients) client.close();
  await server.stop();
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

function listen(topics: string, more: Partial<ConstructorParameters<typeof StreamClient>[1]> = {}) {
  const client = new StreamClient(server.url, { topics, ...more });
  clients.push(client);
  return client;
}

const greeted = (client: StreamClient) => client.until(({ received }) => received[0]?.name === 'hello');

async function start(): Promise<number> {
  const { body } = await api.post('/runs', { workflow: 'w' });
  return body.id;
}

const refused = async (query: string) => (await fetch(`${server.url}/api/v1/events?${query}`)).json();

describe('a stream', () => {
  it('says where it stands, and then what changes, as lists show it', async () => {
    const client = listen('runs');
    await greeted(client);
    const run = await start();
    const event = await client.until(({ events }) => events.find(({ kind }) => kind === 'run'));
    expect(event).toMatchObject({ topic: 'runs', id: run, version: 0, patch: { id: run, state: 'queued' } });
    await api.hand.claim();
    await api.hand.change(run, { state: 'running' });
    const next = await client.until(({ events }) => events.find(({ version }) => version > 0));
    const { runs } = (await api.get('/runs')).body;
    expect(next.patch).toEqual(runs[0]);
  });

  it('leaves nothing out between an answer and itself', async () => {
    await start();
    const { headers } = await api.get('/runs');
    const second = await start();
    await api.hand.claim();
    const client = listen('runs', { after: String(headers['orrery-seq']) });
    await client.until(({ events }) => events.some(({ id }) => id === second));
    expect(client.received[0]).toMatchObject({ name: 'hello', data: { seq: headers['orrery-seq'] } });
  });

  it('gives the tasks of a run that is watched, in columns, and of no other', async () => {
    const [run, other] = [await start(), await start()];
    await api.hand.claim();
    const client = listen(`run:${run}`);
    await greeted(client);
    await api.hand.change(other, { tasks: [[0, api.hand.task('running')]] });
    await api.hand.change(run, {
      tasks: [
        [0, api.hand.task('success', { started: api.now })],
        [1, api.hand.task('running')],
      ],
      event: '{"tasks":[0,1]}',
    });
    const event = await client.until(({ events }) => events.find(({ kind }) => kind === 'tasks'));
    expect(event).toMatchObject({
      topic: `run:${run}`,
      id: run,
      patch: {
        index: [0, 1],
        state: ['success', 'running'],
        attempt: [0, 0],
        forced: [false, false],
        queued: [new Date(api.now).toISOString(), null],
      },
    });
    expect(client.events.filter(({ id }) => id === other)).toEqual([]);
  });

  it('counts the shards of a task', async () => {
    await api.publish('name: parts\ntasks: [{name: a, type: shell, shards: 3}]');
    const { id } = (await api.post('/runs', { workflow: 'parts' })).body;
    await api.hand.claim();
    const client = listen(`run:${id}`);
    await greeted(client);
    const shard = { attempt: 1, failures: 0, lost: 0 } as const;
    const shards = (['out', 'success', 'out'] as const).map((state) => ({ ...shard, state }));
    await api.hand.change(id, { tasks: [[0, api.hand.task('running', { shards })]], event: '{"tasks":[0]}' });
    const event = await client.until(({ events }) => events.find(({ kind }) => kind === 'tasks'));
    expect(event.patch).toMatchObject({ index: [0], shards: [{ out: 2, success: 1 }] });
  });

  it('tells of workflows, schedules and nodes', async () => {
    const client = listen('workflows,workflow:default/timed,schedules,cluster');
    await greeted(client);
    await api.publish('name: timed\nschedules: [{name: s, every: 1h}]\ntasks: [{name: a, type: shell}]');
    await api.hand.joinWorker('w9');
    const seen = await client.until(({ events }) =>
      ['workflow', 'schedule', 'node'].every((kind) => events.some((event) => event.kind === kind)) &&
      events.some(({ id }) => id === 'w9')
        ? events
        : undefined,
    );
    expect(seen).toContainEqual(
      expect.objectContaining({
        topic: 'workflows',
        id: 'default/timed',
        patch: { version: 1, draft: null, offlineSince: null },
      }),
    );
    expect(seen).toContainEqual(expect.objectContaining({ topic: 'workflow:default/timed' }));
    expect(seen).toContainEqual(
      expect.objectContaining({
        topic: 'schedules',
        patch: expect.objectContaining({ workflow: 'timed', name: 's', state: 'on' }),
      }),
    );
    expect(seen).toContainEqual(
      expect.objectContaining({ topic: 'cluster', id: 'w9', patch: { role: 'worker', what: 'joined' } }),
    );
  });

  it('says only how many where more than 500 changed at once', async () => {
    const client = listen('runs');
    await greeted(client);
    await start();
    const [{ command }] = await api.store.listCommands({ limit: 1 });
    await api.store.submitCommands({
      commands: Array.from({ length: 600 }, () => command),
      now: api.now,
    });
    const event = await client.until(({ events }) => events.find(({ kind }) => kind === 'many'));
    expect(event).toMatchObject({ topic: 'runs', id: null });
    expect((event.patch as { count: number }).count).toBeGreaterThan(500);
  });

  it('asks for a fresh start when the position is older than what is kept', async () => {
    const { headers } = await api.get('/runs');
    await start();
    await api.store.sweepEvents({ before: api.now + 1, limit: 1_000 });
    const client = listen('runs', { after: String(headers['orrery-seq']) });
    await client.until(({ received }) => received.some(({ name }) => name === 'resync'));
    const later = await start();
    await client.until(({ events }) => events.some(({ id }) => id === later));
  });

  it('goes on from the last message that a client has', async () => {
    const first = listen('runs');
    await greeted(first);
    const one = await start();
    await first.until(({ events }) => events.some(({ id }) => id === one));
    first.close();
    const two = await start();
    const second = listen('runs', { lastEventId: first.lastId, after: '0' });
    await second.until(({ events }) => events.some(({ id }) => id === two));
    expect(second.events.map(({ id }) => id)).not.toContain(one);
  });

  it('beats with its position while nothing happens', async () => {
    const client = listen('cluster');
    await greeted(client);
    const first = client.lastId;
    const run = await start();
    expect(run).toBeGreaterThan(0);
    await client.until(({ lastId }) => lastId !== first);
    expect(client.events).toEqual([]);
  });

  it.each([
    ['topics=nosuch', 'there is no topic "nosuch"; accepted are runs'],
    ['topics=run:x', 'there is no topic "run:x"'],
    ['', 'topics'],
    [`topics=${Array.from({ length: 101 }, (_, k) => `run:${k + 1}`)}`, 'at most 100'],
    ['topics=runs&after=nonsense', 'is not a position'],
  ])('is refused with ?%s', async (query, detail) => {
    expect(await refused(query)).toMatchObject({ status: 400, detail: expect.stringContaining(detail) });
  });
});

describe('many listeners', () => {
  it('cost one reader, and each hears of everything', async () => {
    const all = Array.from({ length: 200 }, () => listen('runs'));
    await Promise.all(all.map(greeted));
    const runs = [await start(), await start()];
    await Promise.all(
      all.map((client) =>
        client.until(({ events }) => runs.every((run) => events.some(({ id }) => id === run))),
      ),
    );
  });
});
