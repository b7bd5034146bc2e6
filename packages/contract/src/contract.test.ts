import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type Answer,
  type contract,
  type Input,
  type OperationId,
  operationIds,
  operationOf,
  routeOf,
} from './index.ts';

const entries = operationIds.map((id) => ({ id, ...routeOf(id), schema: operationOf(id) }));

describe('the contract', () => {
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

  it.each(entries)('says of $id how the audit records it, or why not', ({ method, schema }) => {
    const said = [schema.audit, schema.unaudited].filter((text) => text !== undefined);
    expect(said).toHaveLength(method === 'GET' ? 0 : 1);
  });

  it.each(entries)('answers $id with what can be described as JSON', ({ schema }) => {
    if (schema.answer instanceof z.ZodNever || schema.answer instanceof z.ZodUndefined) return;
    expect(() => z.toJSONSchema(schema.answer, { io: 'output' })).not.toThrow();
  });

  it('types inputs flat, with what has a default left out, and answers as they are read', () => {
    expectTypeOf<{ project: string; name: string; version?: number }>().toExtend<Input<'showWorkflow'>>();
    expectTypeOf<{ body: { workflow: string }; idempotencyKey: string }>().toExtend<Input<'startRun'>>();
    expectTypeOf<{ workflow: string }>().not.toExtend<Input<'startRun'>>();
    expectTypeOf<Answer<'listSchedules'>['schedules'][number]['state']>().toEqualTypeOf<'on' | 'paused'>();
  });

  it('has an example for each operation that fits its input', () => {
    expectTypeOf<{ [Id in OperationId]: (typeof contract)[Id]['example'] }>().toExtend<{
      [Id in OperationId]: Input<Id>;
    }>();
  });
});
