/** Failed shards that people are told of, by a real channel. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { type ElasticJobs, type ErrorHandler, elastic } from '../elastic.ts';

let namespaces = 0;

async function open(): Promise<{ jobs: ElasticJobs; logged: string[] }> {
  const logged: string[] = [];
  const jobs = await elastic({
    registry: `memory:errors-${++namespaces}`,
    namespace: 'billing',
    server: '10.0.0.1',
    log: (level, text) => void logged.push(`${level} ${text}`),
  });
  onTestFinished(() => jobs.stop(0));
  return { jobs, logged };
}

/** A server that keeps what it is told. */
async function listen(): Promise<{ url: string; told: { data: Record<string, unknown> }[] }> {
  const told: { data: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    told.push((await json(request)) as (typeof told)[number]);
    response.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told };
}

const run = () => {
  throw new Error('no\r\nSubject: free money \u202e\u0007database');
};

it('a channel gets one message about all failed shards of a round, as text without tricks', async () => {
  const { url, told } = await listen();
  const { jobs, logged } = await open();
  const job = await jobs.schedule({
    name: 'settle',
    shards: 7,
    onError: ['log', { channel: 'webhook', settings: { url, secrets: ['key'] } }],
    run,
  });
  await jobs.trigger('settle');
  await expect.poll(() => logged.filter((line) => line.includes('database')).length).toBe(7);
  // A stop sends what waits.
  await job.stop();
  expect(told.map(({ data }) => data)).toMatchObject([
    {
      title: 'billing/settle on 10.0.0.1: 7 errors',
      severity: 'error',
      count: 7,
      lines: [
        ...[0, 1, 2, 3, 4].map((shard) => `shard ${shard}: no Subject: free money  database`),
        '… and 2 more',
      ],
    },
  ]);
});

it.each<[string, ErrorHandler, string]>([
  ['an unknown kind', { channel: 'fax', settings: {} }, 'unknown channel; use one of mail, webhook'],
  ['a name of every object', { channel: 'constructor', settings: {} }, 'unknown channel'],
  ['a setting that is missing', { channel: 'mail', settings: { host: 'smtp' } }, 'settings.from'],
  [
    'a setting that nobody knows',
    { channel: 'webhook', settings: { url: 'http://127.0.0.1', secrets: ['k'], ulr: '' } },
    'ulr',
  ],
  ['a secret of a server', { channel: 'slack', settings: { url: '${secret.slack}' } }, 'secret "slack"'],
  ['a time that is none', { channel: 'mail', settings: {}, every: -1 }, 'every -1 is not accepted'],
])('%s is refused before the job starts', async (_, onError, message) => {
  const { jobs } = await open();
  const definition = { name: 'settle', shards: 1, run };
  await expect(jobs.schedule({ ...definition, onError })).rejects.toThrow(message);
  // The name is free again.
  await jobs.schedule(definition);
});

it('a receiver that is away costs the job nothing', async () => {
  const { jobs, logged } = await open();
  let ran = 0;
  const job = await jobs.schedule({
    name: 'settle',
    shards: 1,
    onError: { channel: 'webhook', settings: { url: 'http://127.0.0.1:1', secrets: ['key'] } },
    run: () => {
      ran++;
      run();
    },
  });
  await jobs.trigger('settle');
  await expect.poll(() => ran).toBe(1);
  await jobs.trigger('settle');
  await expect.poll(() => ran).toBe(2);
  await job.stop();
  expect(logged.filter((line) => line.includes('was not delivered'))).toHaveLength(1);
});
