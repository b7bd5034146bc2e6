import { realClock } from '@orrery/core/timing';
import { openPostgres, type Store } from '@orrery/store';
import { type TestSchema, testSchema } from '@orrery/testkit/databases';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../listen.ts';
import { type TestApi, testApi } from '../testing.ts';
import { StreamClient } from './testing.ts';

const clock = realClock({ now: Date.now, monotonic: () => performance.now(), setTimeout, clearTimeout });

let schema: TestSchema;
let stores: Store[];
let servers: RunningApi[];
let api: TestApi;
beforeAll(async () => {
  schema = await testSchema();
  stores = [await openPostgres(schema.options), await openPostgres(schema.options)];
  api = await testApi({ clock, store: stores[0] });
  servers = await Promise.all(stores.map((store) => startApi({ ...api.options, store }, { port: 0 })));
  await api.publish('name: w\ntasks: [{name: a, type: shell}]');
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await api.app.close();
  for (const store of stores) await store.close();
  await schema.drop();
});

const start = async (): Promise<number> => (await api.post('/runs', { workflow: 'w' })).body.id;

it('tells of what another server wrote, and goes on where another server ended', async () => {
  const first = new StreamClient(servers[1].url, { topics: 'runs' });
  await first.until(({ received }) => received[0]?.name === 'hello');
  const one = await start();
  await first.until(({ events }) => events.some(({ id }) => id === one));
  first.close();
  const two = await start();
  const second = new StreamClient(servers[0].url, { topics: 'runs', lastEventId: first.lastId });
  await second.until(({ events }) => events.some(({ id }) => id === two));
  expect(second.received.map(({ name }) => name)).not.toContain('resync');
  expect(second.events.map(({ id }) => id)).not.toContain(one);
  second.close();
});
