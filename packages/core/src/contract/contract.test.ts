import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type Answer, contract, type Input, type OperationSchema, operations } from './index.ts';

const entries = Object.entries(operations).map(([id, [method, path]]) => ({
  id,
  method,
  path,
  schema: contract[id as keyof typeof contract] as OperationSchema,
}));

describe('the contract', () => {
  it('describes exactly the operations there are', () => {
    expect(Object.keys(contract).sort()).toEqual(Object.keys(operations).sort());
  });

  it('has one operation for a method and a path', () => {
    const routes = entries.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(routes.filter((route, k) => routes.indexOf(route) !== k)).toEqual([]);
  });

  it.each(entries)('reads just the parts that the path of $id names', ({ path, schema }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(schema.params?.shape ?? {})).toEqual(named);
  });

  it.each(entries)(
    'gives each input of $id a name of its own, so that callers can give them flat',
    ({ schema }) => {
      const names = [schema.params, schema.query, schema.headers].flatMap((part) =>
        Object.keys(part?.shape ?? {}),
      );
      expect(new Set([...names, 'body']).size).toBe(names.length + 1);
    },
  );

  it.each(entries)('takes a body for $id only where a method has one', ({ method, schema }) => {
    if (method === 'GET' || method === 'DELETE') expect(schema.body).toBeUndefined();
    expect(schema.status === 204).toBe(schema.answer instanceof z.ZodUndefined);
  });

  it.each(entries)('answers $id with what can be described as JSON', ({ schema }) => {
    if (schema.answer instanceof z.ZodNever || schema.answer instanceof z.ZodUndefined) return;
    expect(() => z.toJSONSchema(schema.answer, { io: 'output' })).not.toThrow();
  });

  it('names operations without bringing any schema into a browser', () => {
    const source = readFileSync(new URL('./operations.ts', import.meta.url), 'utf8');
    expect(source).not.toMatch(/^import /m);
  });

  it('types inputs flat, with what has a default left out, and answers as they are read', () => {
    expectTypeOf<{ project: string; name: string; version?: number }>().toExtend<Input<'showWorkflow'>>();
    expectTypeOf<{ body: { workflow: string }; idempotencyKey: string }>().toExtend<Input<'startRun'>>();
    expectTypeOf<{ workflow: string }>().not.toExtend<Input<'startRun'>>();
    expectTypeOf<Answer<'listSchedules'>['schedules'][number]['state']>().toEqualTypeOf<'on' | 'paused'>();
  });
});
