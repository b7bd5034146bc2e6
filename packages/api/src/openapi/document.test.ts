import { contract, operationIds, routeOf } from '@orrery/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { testApi } from '../testing.ts';
import { openApiDocument } from './document.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: object };
  readonly responses: Record<string, { readonly content?: object }>;
}

const document = (await openApiDocument('1.2.3')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, object> };
};
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const of = (id: string) =>
  described.find(({ operation }) => operation.operationId === id)?.operation as Operation;

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.valid, JSON.stringify(result.errors, null, 2)).toBe(true);
  });

  it('has the example of each operation', () => {
    expect(of('showWorkflow').parameters).toMatchObject([
      { name: 'project', example: 'default' },
      { name: 'name', example: 'demo' },
      { name: 'version', example: 1 },
    ]);
    expect(of('startRun').requestBody?.content).toMatchObject({
      'application/json': { example: { workflow: 'demo', params: { day: 'sunday' } } },
    });
  });

  it('says which role each operation needs', () => {
    expect(of('listRuns')).toMatchObject({ 'x-orrery-role': 'viewer' });
    expect(of('createToken')).toMatchObject({ 'x-orrery-role': 'admin' });
    expect(of('checkHealth')).toMatchObject({ security: [] });
  });

  it('refers only to components that it has, and has none that nothing refers to', () => {
    const wanted = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name),
    );
    const { schemas, responses } = document.components;
    const there = [
      ...Object.keys(schemas).map((name) => `schemas/${name}`),
      ...Object.keys(responses).map((name) => `responses/${name}`),
    ];
    expect([...wanted].filter((name) => !there.includes(name))).toEqual([]);
    expect(there.filter((name) => !wanted.has(name))).toEqual([]);
  });

  it('has every operation of the contract, and the server has a route for each and no other', async () => {
    const listed = Object.entries(contract).map(([id, { route }]) => `${id} ${route}`);
    expect(
      described.map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`).sort(),
    ).toEqual(listed.sort());
    const routes: string[] = [];
    const { app, store } = await testApi();
    app.addHook('onRoute', ({ method, url }) => void routes.push(`${method} ${url}`));
    await app.ready();
    const expected = operationIds
      .map(routeOf)
      .map(({ method, path }) => `${method} /api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`);
    expect(routes.filter((route) => route.includes('/api/v1')).sort()).toEqual(expected.sort());
    await app.close();
    await store.close();
  });

  it('names the parts of every path as parameters that must be there', () => {
    for (const { path, operation } of described) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  it('describes texts, streams, headers and answers without a body', () => {
    expect(Object.keys(of('publishWorkflows').requestBody?.content ?? {})).toContain('application/yaml');
    expect(Object.keys(of('readSource').responses[200].content ?? {})).toEqual([
      'application/yaml',
      'application/json',
    ]);
    expect(Object.keys(of('readLog').responses[200].content ?? {})).toEqual([
      'application/json',
      'text/plain',
    ]);
    expect(Object.keys(of('followEvents').responses[200].content ?? {})).toEqual(['text/event-stream']);
    expect(of('startRun').parameters).toMatchObject([
      { name: 'Idempotency-Key', in: 'header', required: false },
    ]);
    expect(of('saveDraft').responses).toHaveProperty('412');
    expect(of('deleteWorkflow').responses[204]).not.toHaveProperty('content');
    expect(of('pauseSchedule')).not.toHaveProperty('requestBody');
    expect([of('startRun').requestBody?.required, of('publishDraft').requestBody?.required]).toEqual([
      true,
      false,
    ]);
  });

  it('is served as it is', async () => {
    const { get, app, store } = await testApi();
    const { body, headers } = await get('/openapi.json');
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
    expect(headers['content-type']).toContain('application/json');
    await app.close();
    await store.close();
  });
});

it('every operation has a summary of one line', () => {
  for (const { summary } of Object.values(contract)) expect(summary).toMatch(/^[^\n]{3,120}$/);
});
