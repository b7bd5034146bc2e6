import { createHash } from 'node:crypto';
import type { RunPatch } from '@orrery/contract/live';
import { realClock } from '@orrery/core/timing';
import { testDatabases } from '@orrery/testkit/databases';
import { afterAll, describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../listen.ts';
import { testApi } from '../testing.ts';
import { StreamClient } from './testing.ts';

const clock = realClock({ now: Date.now, monotonic: () => performance.now(), setTimeout, clearTimeout });

/** What a console keeps: the newest it has heard of each run. */
class Cache {
  readonly runs = new Map<number, { version: number; patch: RunPatch }>();
  /** Changes that came although nothing newer was in them. */
  repeated = 0;

  take(client: StreamClient): void {
    for (const message of client.received.splice(0)) {
      expect(message.name).not.toBe('resync');
      if (message.name !== 'frame') continue;
      for (const event of message.data.events) {
        expect(event.kind).toBe('run');
        if (event.kind !== 'run') continue;
        const known = this.runs.get(event.id);
        // A change of owner alone does not raise the version.
        if (known && known.version === event.version && known.patch.state === event.patch.state)
          this.repeated++;
        if (!known || event.version >= known.version) this.runs.set(event.id, event);
      }
    }
  }
}

describe.each(testDatabases())('a server that restarts again and again on $name', ({ open, close }) => {
  afterAll(close);
  it('loses no change of what goes on meanwhile', { timeout: 120_000 }, async () => {
    const api = await testApi({ clock, store: await open() });
    await api.publish('name: w\ntasks: [{name: a, type: shell}]');
    const { headers } = await api.get('/runs');
    let server: RunningApi = await startApi(api.options, { port: 0 });
    const port = Number(new URL(server.url).port);

    let working = true;
    const made: number[] = [];
    const load = async () => {
      while (working) {
        const ids = await Promise.all(
          Array.from({ length: 5 }, async () => {
            const { status, body } = await api.post('/runs', { workflow: 'w' });
            expect([status, body]).toEqual([202, expect.anything()]);
            return body.id as number;
          }),
        );
        made.push(...ids);
        await api.hand.claim();
        for (const state of ['running', 'pausing', 'paused', 'running', 'success'] as const)
          for (const id of ids) await api.hand.change(id, { state, release: state === 'success' });
        await new Promise((done) => setTimeout(done, 2));
      }
    };
    let failure: unknown;
    const loaded = load().catch((error: unknown) => {
      failure = error;
    });
    const checkLoad = () => {
      if (failure !== undefined) throw failure;
    };

    const cache = new Cache();
    let lastId = String(headers['orrery-seq']);
    for (let round = 0; round < 4; round++) {
      const client = new StreamClient(server.url, { topics: 'runs', lastEventId: lastId });
      const enough = made.length + 20;
      while (made.length < enough || client.received.length < 2) {
        checkLoad();
        await new Promise((done) => setTimeout(done, 5));
      }
      await server.stop();
      await client.ended;
      cache.take(client);
      lastId = client.lastId ?? lastId;
      // Changes go on while nobody listens.
      const away = made.length;
      while (made.length === away) {
        checkLoad();
        await new Promise((done) => setTimeout(done, 1));
      }
      server = await startApi(api.options, { port });
    }
    working = false;
    await loaded;
    checkLoad();

    const client = new StreamClient(server.url, { topics: 'runs', lastEventId: lastId });
    const { runs: rows } = await api.store.readRunsById({ ids: made });
    const complete = () => {
      cache.take(client);
      return rows.every(({ id, revision }) => cache.runs.get(id)?.version === revision);
    };
    await client.until(complete);

    const shown = new Map<number, RunPatch>();
    let page: string | null = '/runs?limit=1000';
    while (page !== null) {
      const { body } = await api.get(page);
      for (const run of body.runs) shown.set(run.id, run);
      page = body.next?.replace('/api/v1', '') ?? null;
    }
    expect(shown.size).toBe(made.length);
    expect(made.length).toBeGreaterThan(80);
    for (const [id, run] of shown) expect(cache.runs.get(id)?.patch).toEqual(run);
    // A position that was passed is not sent again: repeats come only from the moment of joining.
    expect(cache.repeated).toBeLessThan(made.length);
    client.close();
    await server.stop();
    await api.app.close();
    expect(api.defects).toEqual([]);
  });

  it('goes on after 500 restarts of a node, by positions that fit into headers', {
    timeout: 120_000,
  }, async () => {
    const api = await testApi({ clock, store: await open() });
    await api.publish('name: w\ntasks: [{name: a, type: shell}]');
    const server = await startApi(api.options, { port: 0 });
    const start = async (): Promise<number> => (await api.post('/runs', { workflow: 'w' })).body.id;
    const seqOf = async () => (await fetch(`${server.url}/api/v1/runs`)).headers.get('orrery-seq') ?? '';
    const join = (id: string) =>
      api.store.joinNode({ id, roles: ['master'], address: `${id}:1`, info: {}, now: clock.now() });

    const before = await seqOf();
    const first = await start();
    for (let k = 0; k < 500; k++) await join('a-master-with-a-long-name');
    await new Promise((done) => setTimeout(done, 1_100));
    const after = await seqOf();
    expect(after.length).toBeLessThan(3_000);
    const old = new StreamClient(server.url, { topics: 'runs', after: before });
    await old.until(({ events }) => events.some(({ id }) => id === first));
    const young = new StreamClient(server.url, { topics: 'runs', lastEventId: after });
    const second = await start();
    for (const client of [old, young]) {
      await client.until(({ events }) => events.some(({ id }) => id === second));
      expect(client.received.map(({ name }) => name)).not.toContain('resync');
    }
    expect(young.events.map(({ id }) => id)).not.toContain(first);

    // Under names of their own they cannot be told apart from those who are still to be read: then all is read afresh.
    // Their names have nothing in common, so that packing them does not help.
    for (let k = 0; k < 500; k++) await join(createHash('sha256').update(`${k}`).digest('hex'));
    await new Promise((done) => setTimeout(done, 1_100));
    const fresh = await seqOf();
    expect(fresh.length).toBeLessThan(3_000);
    const lost = new StreamClient(server.url, { topics: 'runs', after: fresh });
    await lost.until(({ received }) => received.some(({ name }) => name === 'resync'));
    const third = await start();
    for (const client of [old, young, lost])
      await client.until(({ events }) => events.some(({ id }) => id === third));
    expect(lost.received.filter(({ name }) => name === 'resync')).toHaveLength(1);
    for (const client of [old, young, lost]) client.close();
    await server.stop();
    await api.app.close();
    expect(api.defects).toEqual([]);
  });
});
