import { operationIds } from '@orrery/contract';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { breakOff, json, problem, scriptedServer } from '../testing/scripted-server.ts';
import { createClient } from './client.ts';
import { ApiProblem, Unreachable } from './problem.ts';
import type { ClientOptions } from './transport.ts';

/** Waits are recorded and not waited for; chance is the middle. */
function patient() {
  const waits: number[] = [];
  const options: ClientOptions = {
    random: () => 0.5,
    sleep: async (milliseconds) => void waits.push(milliseconds),
    makeKey: () => 'key-1',
  };
  return { waits, options };
}

describe('a request', () => {
  it('has the values of the path in it, the rest in the query, and lists with commas', async () => {
    await using server = await scriptedServer(json({ tasks: [], next: null }));
    const client = createClient({ url: `${server.url}/` });
    await client.listTasks({ id: 12, from: 5, limit: undefined });
    await client.readSource({ project: 'e t/l', name: 'täglich', version: 2 });
    await client.transport.open({ method: 'GET', path: '/x' });
    expect(server.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/runs/12/tasks?from=5',
      'GET /api/v1/workflows/e%20t%2Fl/t%C3%A4glich/source?version=2',
      'GET /api/v1/x',
    ]);
  });

  it('is not sent without a value that its path needs', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1' });
    await expect(client.showRun({} as never)).rejects.toThrow('/runs/{id} needs a value for "id"');
    await expect(client.showWorkflow({ project: '', name: 'x' })).rejects.toThrow('a value for "project"');
  });

  it('carries the body as JSON, a workflow file as text, and the token', async () => {
    await using server = await scriptedServer(json({ workflows: [] }));
    let token = 'first';
    const client = createClient({ url: server.url, token: () => token, makeKey: () => 'key-1' });
    await client.startRun({ body: { workflow: 'hello', params: { n: 1 } } });
    token = 'second';
    await client.startRun({ body: { workflow: 'hello' }, idempotencyKey: 'mine' });
    await client.publishWorkflows({ body: 'name: hello', dryRun: true });
    expect(server.asked).toMatchObject([
      {
        body: '{"workflow":"hello","params":{"n":1}}',
        headers: {
          'content-type': 'application/json',
          authorization: 'Bearer first',
          'idempotency-key': 'key-1',
        },
      },
      { headers: { authorization: 'Bearer second', 'idempotency-key': 'mine' } },
      {
        url: '/api/v1/workflows?dryRun=true',
        body: 'name: hello',
        headers: { 'content-type': 'application/yaml' },
      },
    ]);
  });

  it('answers with JSON or with text, and shows the headers to whoever asks', async () => {
    await using server = await scriptedServer(
      json({ status: 'ok' }, { 'orrery-seq': '7' }),
      (answer) => answer.writeHead(200, { 'content-type': 'application/yaml' }).end('name: x'),
      (answer) => answer.writeHead(204).end(),
    );
    const client = createClient({ url: server.url });
    const seen: (string | null)[] = [];
    expect(
      await client.checkHealth({}, { onHeaders: (headers) => seen.push(headers.get('orrery-seq')) }),
    ).toEqual({ status: 'ok' });
    expect(await client.readSource({ project: 'p', name: 'x' })).toBe('name: x');
    expect(await client.checkHealth()).toBeUndefined();
    expect(seen).toEqual(['7']);
  });

  it('may be a stream', async () => {
    await using server = await scriptedServer((answer) => {
      answer.write('one\n');
      setImmediate(() => answer.end('two\n'));
    });
    const client = createClient({ url: server.url });
    const answer = await client.open('readLog', { id: '1.a.1', follow: true });
    let text = '';
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) text += piece;
    expect(text).toBe('one\ntwo\n');
  });
});

describe('a refusal', () => {
  it('is an ApiProblem with everything the server said', async () => {
    const problems = [{ path: ['tasks', 0], message: 'has no name', line: 3, column: 5 }];
    await using server = await scriptedServer(problem(422, 'not-accepted', { problems, current: 4 }));
    const failure = await createClient({ url: server.url })
      .publishWorkflows({ body: 'x' })
      .catch((error) => error);
    expect(failure).toBeInstanceOf(ApiProblem);
    expect(failure).toMatchObject({
      tag: 'api-problem',
      status: 422,
      kind: 'not-accepted',
      message: 'it is not-accepted',
      detail: 'it is not-accepted',
      requestId: 'r1',
      problems,
      current: 4,
    });
  });

  it('is Unreachable where something else than Orrery answers', async () => {
    await using server = await scriptedServer((answer) => answer.writeHead(404).end('<html>'));
    const failure = await createClient({ url: server.url })
      .checkHealth()
      .catch((error) => error);
    expect(failure).toBeInstanceOf(Unreachable);
    expect(failure).toMatchObject({
      status: 404,
      message: expect.stringContaining('is not an Orrery server'),
    });
  });
});

describe('a failure on the way', () => {
  it('is tried again with growing waits where a second request does no harm', async () => {
    await using server = await scriptedServer(
      breakOff,
      problem(503, 'store-away'),
      (answer) => {
        answer.writeHead(200, { 'content-type': 'application/json' }).write('{"half":');
        setImmediate(() => answer.destroy());
      },
      json({ runs: [] }),
    );
    const { waits, options } = patient();
    const client = createClient({ url: server.url, ...options });
    expect(await client.listRuns()).toEqual({ runs: [] });
    expect(waits).toEqual([187.5, 375, 750]);
  });

  it('is tried again with the same key where something is made', async () => {
    await using server = await scriptedServer(breakOff, json({ id: 1, state: 'queued', repeated: true }));
    const { options } = patient();
    const client = createClient({ url: server.url, ...options });
    expect(await client.startRun({ body: { workflow: 'hello' } })).toMatchObject({ id: 1 });
    expect(server.asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1']);
  });

  it('is not tried again where it is unknown whether the server did it', async () => {
    await using server = await scriptedServer(breakOff);
    const { options } = patient();
    const client = createClient({ url: server.url, ...options });
    await expect(client.stopRun({ id: 1 })).rejects.toThrow(Unreachable);
    expect(server.asked).toHaveLength(1);
  });

  it('waits as long as the server asks, unless that is too long', async () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    await using server = await scriptedServer(
      problem(429, 'too-many', {}, { 'retry-after': '2' }),
      problem(429, 'too-many', {}, { 'retry-after': later }),
    );
    const { waits, options } = patient();
    const client = createClient({ url: server.url, ...options });
    await expect(client.listRuns()).rejects.toMatchObject({ status: 429 });
    expect(waits).toEqual([2_000]);
  });

  it('is tried again where the server says when, as it does while the first one is under way', async () => {
    await using server = await scriptedServer(
      problem(409, 'conflict', {}, { 'retry-after': '2' }),
      json({ id: 1, state: 'queued', repeated: true }),
    );
    const { waits, options } = patient();
    const client = createClient({ url: server.url, ...options });
    expect(await client.startRun({ body: { workflow: 'hello' } })).toMatchObject({ id: 1 });
    expect(waits).toEqual([2_000]);
  });

  it('is told after the last try, and refusals at once', async () => {
    await using server = await scriptedServer(problem(503, 'store-away'));
    const { waits, options } = patient();
    const client = createClient({ url: server.url, ...options, retries: 1 });
    await expect(client.listRuns()).rejects.toMatchObject({ kind: 'store-away' });
    await expect(client.listRuns({}, { retries: 0 })).rejects.toMatchObject({ kind: 'store-away' });
    expect(waits).toHaveLength(1);
    expect(server.asked).toHaveLength(3);
    await using other = await scriptedServer(problem(404, 'not-found'));
    await expect(createClient({ url: other.url, ...options }).showRun({ id: 1 })).rejects.toThrow(ApiProblem);
    expect(other.asked).toHaveLength(1);
  });

  it('names the address, and what the system said', async () => {
    const server = await scriptedServer(json({}));
    await server[Symbol.asyncDispose]();
    await expect(createClient({ url: server.url, retries: 0 }).checkHealth()).rejects.toThrow(
      `no server answers at ${server.url}/api/v1 (ECONNREFUSED)`,
    );
  });

  it('is a time limit for each try, which can be given for one call', async () => {
    await using server = await scriptedServer(() => {}, json({ runs: [] }));
    const { options } = patient();
    // On a machine that has much else to do, an answer that comes may come too late as well.
    const client = createClient({ url: server.url, ...options, retries: 1_000 });
    expect(await client.listRuns({}, { timeout: 50 })).toEqual({ runs: [] });
    await using silent = await scriptedServer(() => {});
    await expect(createClient({ url: silent.url, retries: 0 }).listRuns({}, { timeout: 50 })).rejects.toThrow(
      'within 50 ms',
    );
  });

  it('is nothing of the kind when the caller gives up', async () => {
    await using server = await scriptedServer(() => {});
    const gone = new AbortController();
    const asked = createClient({ url: server.url }).listRuns({}, { signal: gone.signal });
    gone.abort(new Error('closed the page'));
    await expect(asked).rejects.toThrow('closed the page');
    const waiting = createClient({ url: 'http://127.0.0.1:1' }).listRuns(
      {},
      { signal: AbortSignal.timeout(20) },
    );
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('all', () => {
  it('goes from page to page, each asked for when it is needed', async () => {
    await using server = await scriptedServer(
      json({ runs: [{ id: 3 }, { id: 2 }], next: '/api/v1/runs?state=failed&before=2' }),
      json({ runs: [{ id: 1 }], next: null }),
    );
    const client = createClient({ url: server.url });
    const seen: number[] = [];
    for await (const { id } of client.all.listRuns({ state: ['failed', 'stopped'] })) {
      seen.push(id);
      expect(server.asked).toHaveLength(id === 1 ? 2 : 1);
    }
    expect(seen).toEqual([3, 2, 1]);
    expect(server.asked.map(({ url }) => url)).toEqual([
      '/api/v1/runs?state=failed%2Cstopped',
      '/api/v1/runs?state=failed&before=2',
    ]);
  });

  it('is there for lists alone', () => {
    const { all } = createClient({ url: 'http://127.0.0.1:1' });
    expectTypeOf(all).toHaveProperty('listRuns');
    expectTypeOf(all).not.toHaveProperty('showRun');
    expectTypeOf(all).not.toHaveProperty('createBulk');
  });
});

describe('the contract and the client', () => {
  it('have one function for each operation', () => {
    const client = createClient({ url: 'http://127.0.0.1:1' });
    for (const id of operationIds) expect(client).toHaveProperty(id);
  });

  it('know the types of inputs and answers', () => {
    const client = createClient({ url: 'http://127.0.0.1:1' });
    expectTypeOf(client.showRun).parameter(0).toEqualTypeOf<{ readonly id: number }>();
    expectTypeOf<Awaited<ReturnType<typeof client.listRuns>>['runs'][number]['id']>().toEqualTypeOf<number>();
    const wrong = () => {
      // @ts-expect-error there is no such state
      client.listRuns({ state: ['fialed'] });
      // @ts-expect-error a run has a number
      client.showRun({ id: 'x' });
      // @ts-expect-error the input cannot be left out
      client.showRun();
      // @ts-expect-error no such key
      client.startRun({ body: { workflow: 'x', parms: {} } });
    };
    expect(wrong).toBeTypeOf('function');
  });
});

it('refuses an address that is none, at once', () => {
  expect(() => createClient()).toThrow('createClient needs the address of the server');
  expect(() => createClient({ url: 'localhost:7070' })).toThrow(
    '"localhost:7070" is not the address of a server',
  );
});
