import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workflowJsonSchema } from './json-schema.ts';

const published = new URL('../../../../docs/reference/workflow.schema.json', import.meta.url);

describe('the JSON Schema of the workflow file', () => {
  it('is the published one (after a change: UPDATE_SCHEMA=1 npx vitest run json-schema, then npm run format)', () => {
    const schema = workflowJsonSchema();
    if (process.env.UPDATE_SCHEMA) writeFileSync(published, `${JSON.stringify(schema, null, 2)}\n`);
    expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(schema);
  });

  it('is of draft 2020-12 and closed at every level', () => {
    const schema = workflowJsonSchema();
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema.required).toEqual(['name', 'tasks']);
    const open: string[] = [];
    const walk = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return;
      if ('properties' in value && 'type' in value && !('additionalProperties' in value)) open.push(path);
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}/${key}`);
    };
    walk(schema, '');
    expect(open).toEqual([]);
  });

  it('describes what a logic task has in with, by its type', () => {
    const { properties } = workflowJsonSchema() as { properties: { tasks: { items: { allOf: object[] } } } };
    const rules = properties.tasks.items.allOf;
    expect(rules).toHaveLength(6);
    const [rule, schema] = Object.values(rules[3]);
    expect(rule).toMatchObject({ properties: { type: { const: 'switch' } } });
    expect(schema).toMatchObject({ properties: { with: { properties: { cases: { type: 'array' } } } } });
  });

  it('describes the settings of task types that it is told of', () => {
    const schema = { type: 'object', properties: { script: { type: 'string' } } };
    const types = [{ name: 'shell', schema: { $schema: 'x', ...schema } }, { name: 'bare' }];
    const { properties } = workflowJsonSchema(types) as {
      properties: { tasks: { items: { allOf: object[] } } };
    };
    expect(properties.tasks.items.allOf).toHaveLength(7);
    expect(properties.tasks.items.allOf[6]).toEqual({
      if: { properties: { type: { const: 'shell' } }, required: ['type'] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { properties: { with: schema } },
    });
  });

  it('says something about every key that does not speak for itself', () => {
    const plain = new Set([
      'name',
      'description',
      'project',
      'tags',
      'environment',
      'tenant',
      'timezone',
      'priority',
      'enabled',
      'exclude',
      'schedules',
      'tasks',
    ]);
    const silent: string[] = [];
    const { properties } = workflowJsonSchema() as { properties: Record<string, Properties> };
    const check = (found: Record<string, { description?: string }>, where: string) => {
      for (const [key, schema] of Object.entries(found))
        if (!schema.description && !plain.has(key)) silent.push(`${where}.${key}`);
    };
    check(properties, 'workflow');
    check(properties.tasks.items.properties, 'task');
    check(properties.schedules.items.anyOf[1].properties, 'schedule');
    expect(silent).toEqual([]);
  });
});

interface Properties {
  description?: string;
  items: { properties: Record<string, object>; anyOf: { properties: Record<string, object> }[] };
}
