/** Every operation of the contract, asked rightly and wrongly: status and shape of each answer are those it promises. */
import {
  contract,
  operationIds as ids,
  type OperationId,
  operationOf,
  problem,
  routeOf,
} from '@orrery/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from './document.ts';
import { exampleOf, requestOf, seed, type World } from './world.ts';

const document = (await openApiDocument('1.2.3')) as {
  paths: Record<string, Record<string, { responses: object }>>;
};

/** The statuses that the document lists for an operation. */
function statusesOf(id: OperationId): string[] {
  const { method, path } = routeOf(id);
  return Object.keys(document.paths[path][method.toLowerCase()].responses);
}

async function withSeed(use: (world: World) => Promise<void>): Promise<void> {
  const seeded = await seed();
  try {
    await use(seeded);
    expect(seeded.api.defects).toEqual([]);
  } finally {
    await seeded.api.app.close();
    await seeded.api.store.close();
  }
}

describe('asked rightly', () => {
  const plain = ids.filter((id) => !(contract[id].answer instanceof z.ZodNever));
  it.each(plain)('%s answers with the status and in the shape of the contract', async (id) => {
    await withSeed(async (seeded) => {
      const reply = await seeded.api.app.inject(exampleOf(id, seeded));
      const { dryRunStatus, answer, answerTypes, example, ...schema } = operationOf(id);
      const { dryRun } = (example.body ?? {}) as { dryRun?: boolean };
      const status = (dryRun ? dryRunStatus : undefined) ?? schema.status ?? 200;
      expect(reply.statusCode, reply.body).toBe(status);
      expect(reply.headers['x-request-id']).toEqual(expect.any(String));
      if (status === 204) return expect(reply.body).toBe('');
      const value = answerTypes ? reply.body : reply.json();
      expect(answer.safeParse(value).error).toBeUndefined();
      expect(reply.headers['content-type']).toContain(answerTypes?.[0] ?? 'application/json');
    });
  });
});

describe('asked wrongly', () => {
  let seeded: World;
  beforeAll(async () => {
    seeded = await seed();
  });
  afterAll(async () => {
    expect(seeded.api.defects).toEqual([]);
    await seeded.api.app.close();
    await seeded.api.store.close();
  });

  /** Sends a request that must be refused, and checks the refusal. */
  async function refused(id: OperationId, change: object): Promise<z.output<typeof problem>> {
    const sent = requestOf(id, wrongNames);
    const reply = await seeded.api.app.inject({ ...sent, ...change } as typeof sent);
    expect(reply.headers['content-type'], reply.body).toContain('application/problem+json');
    const body = problem.parse(reply.json());
    expect(body).toMatchObject({ status: reply.statusCode, requestId: reply.headers['x-request-id'] });
    expect(statusesOf(id)).toContain(String(body.status));
    return body;
  }

  it.each(ids)('%s refuses a query that it does not know', async (id) => {
    const { url } = requestOf(id, rightNames(id));
    const { status, problems } = await refused(id, { url: `${url}${url.includes('?') ? '&' : '?'}nosuch=1` });
    expect([status, problems?.map(({ path }) => path)]).toEqual([400, expect.arrayContaining([['nosuch']])]);
  });

  const withParams = ids.filter((id) => 'params' in contract[id]);
  it.each(withParams)('%s refuses what cannot be, or is not there', async (id) => {
    const { status, detail } = await refused(id, {});
    expect([400, 404]).toContain(status);
    expect(detail).not.toBe('');
  });

  const withBody = ids.filter((id) => 'body' in contract[id]);
  it.each(withBody)(
    '%s refuses a body of another type, one that is too large, and none of what it reads',
    async (id) => {
      const { url, headers } = requestOf(id, rightNames(id));
      const { bodyTypes, bodyLimit = 1024 * 1024 } = operationOf(id);
      const send = (type: string, payload: string | Buffer) =>
        refused(id, { url, payload, headers: { ...headers, 'content-type': type } });
      expect((await send('image/png', 'x')).status).toBe(415);
      const [type] = bodyTypes ?? ['application/json'];
      expect((await send(type, Buffer.alloc(bodyLimit + 1, ' '))).status).toBe(413);
      if (bodyTypes) return expect((await send(type, Buffer.from([0xff]))).status).toBe(400);
      expect((await send(type, '{')).status).toBe(400);
      expect((await send(type, '{"__proto__": {"admin": true}}')).status).toBe(400);
      for (const wrong of ['[]', '7', '"text"']) expect((await send(type, wrong)).status).toBe(422);
    },
  );

  const closed = ids.filter((id) => operationOf(id).open !== true);
  it.each(closed)('%s wants a token', async (id) => {
    const { authorization: _, ...headers } = requestOf(id, rightNames(id)).headers;
    expect((await refused(id, { headers })).status).toBe(401);
  });
});

/** Names that can be read, of things that may not be there. */
function rightNames(id: OperationId): Record<string, string> {
  const [, kind] = routeOf(id).path.split('/');
  const named: Record<string, string> = {
    'task-runs': '1.a',
    attempts: '1.a.1',
    needs: 'failed-0123456789abcdef',
  };
  return { project: 'default', name: 'demo', version: '1', number: '1', id: named[kind] ?? '1' };
}

const wrongNames = { project: 'no such', name: '../..', version: 'nosuch', number: 'nosuch', id: 'nosuch' };
