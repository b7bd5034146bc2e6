import { openPostgres, openSqlite, type Store } from '@orrery/store';
import { testSchema } from '@orrery/testkit/databases';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApi, testApi } from './testing.ts';

const key = { 'idempotency-key': 'k' };
const text = (script: string) => `name: w\ntasks:\n  - {name: a, type: shell, with: {script: ${script}}}\n`;
const yaml = { ...key, 'content-type': 'application/yaml' };

/** A promise that a test settles. */
const gate = () => Promise.withResolvers<void>();

/** The stores of two servers over one database. */
interface Pair {
  readonly stores: readonly [Store, Store];
  close(): Promise<void>;
}

async function onSqlite(): Promise<Pair> {
  const store = await openSqlite(':memory:');
  return { stores: [store, store], close: () => store.close() };
}

async function onPostgres(): Promise<Pair> {
  const schema = await testSchema();
  const stores = [await openPostgres(schema.options), await openPostgres(schema.options)] as const;
  const close = async () => {
    for (const store of stores) await store.close();
    await schema.drop();
  };
  return { stores, close };
}

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const)('two equal requests with one key at the same moment, at two servers on %s', (_name, open) => {
  let pair: Pair;
  let one: TestApi;
  let two: TestApi;
  /** Awaited by the first server before it publishes, once it has said so. */
  let held: { begun: PromiseWithResolvers<void>; goOn: PromiseWithResolvers<void> } | undefined;

  beforeEach(async () => {
    pair = await open();
    held = undefined;
    const publishWorkflows: Store['publishWorkflows'] = async (input) => {
      held?.begun.resolve();
      await held?.goOn.promise;
      return pair.stores[0].publishWorkflows(input);
    };
    one = await testApi({ store: { ...pair.stores[0], publishWorkflows } });
    two = await testApi({ store: pair.stores[1] });
    await two.publish(text('one'));
  });
  afterEach(async () => {
    expect([...one.defects, ...two.defects]).toEqual([]);
    await one.app.close();
    await two.app.close();
    await pair.close();
  });
  const hold = () => {
    held = { begun: gate(), goOn: gate() };
    return held;
  };
  const versions = async () => (await two.get('/workflows/default/w/versions')).body.versions.length;

  it.each([
    ['starting a run', '/runs', { workflow: 'w' }],
    ['a backfill', '/backfills', { workflow: 'w', from: '2026-01-01', to: '2026-01-03', every: '1d' }],
    ['a bulk', '/bulks', { action: 'stop', ids: [1] }],
  ])('make one thing: %s', async (_what, path, body) => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, k) => (k % 2 === 0 ? one : two).post(path, body, key)),
    );
    for (const { status, body } of answers)
      expect([status, body.detail]).toEqual([answers[0].status, undefined]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.repeated)).toHaveLength(1);
  });

  it('publish a draft once, and both are told so', async () => {
    await two.put('/workflows/default/w/draft', { text: text('two') });
    const { begun, goOn } = hold();
    const first = one.post('/workflows/default/w/draft/publish', {}, key);
    await begun.promise;
    const second = two.post('/workflows/default/w/draft/publish', {}, key);
    await new Promise((done) => setTimeout(done, 50));
    goOn.resolve();
    const answer = await first;
    expect(answer).toMatchObject({ status: 200, body: { version: 2, changed: true } });
    expect(await second).toMatchObject({ status: 200, body: answer.body });
  });

  it('do not undo what was published between the two', async () => {
    const { begun, goOn } = hold();
    const first = one.post('/workflows', text('two'), yaml);
    await begun.promise;
    const second = two.post('/workflows', text('two'), yaml);
    goOn.resolve();
    await first;
    await two.publish(text('three'));
    expect((await second).body).toEqual((await first).body);
    expect(await versions()).toBe(3);
  });

  it('are refused while the first takes very long, with the time to ask again', async () => {
    const { begun, goOn } = hold();
    const first = one.post('/workflows', text('two'), yaml);
    await begun.promise;
    const later = setInterval(() => {
      // The clocks of both go on, so that the claim is renewed and patience ends.
      one.now += 1_000;
      two.now += 1_000;
    }, 20);
    const second = await two.post('/workflows', text('two'), yaml);
    clearInterval(later);
    expect([second.status, second.body.detail, second.headers['retry-after']]).toEqual([
      409,
      'the first request with this Idempotency-Key is under way',
      '2',
    ]);
    goOn.resolve();
    expect((await two.post('/workflows', text('two'), yaml)).body).toEqual((await first).body);
  });

  it('are one request where the first server died in between', async () => {
    const { begun, goOn } = hold();
    const first = one.post('/workflows', text('two'), yaml);
    await begun.promise;
    const second = two.post('/workflows', text('two'), yaml);
    const later = setInterval(() => {
      // For the dead no time passes: its claim stays as old as it is.
      two.now += 1_000;
    }, 20);
    expect(await second).toMatchObject({ status: 200, body: { workflows: [{ version: 2, changed: true }] } });
    clearInterval(later);
    goOn.resolve();
    await first;
    expect(await versions()).toBe(2);
  });

  it('leave the key free where the first was refused', async () => {
    const wrong = await one.post('/workflows', 'name: 7', yaml);
    expect(wrong.status).toBe(422);
    expect((await two.post('/workflows', 'name: 7', yaml)).body.problems).toEqual(wrong.body.problems);
    expect((await two.post('/workflows', text('two'), yaml)).status).toBe(200);
  });
});
