/**
 * JSON Schema (draft 2020-12) of the workflow file, for editors and forms: generated from the schema that
 * parses it.
 */
import { z } from 'zod';
import type { KnownType } from './check/types.ts';
import { logicTypes } from './glossary.ts';
import { logicSchemas } from './schema/logic.ts';
import { taskFields } from './schema/task.ts';
import { workflow } from './schema/workflow.ts';

/**
 * The JSON Schema of a workflow as written. The schema of `with` depends on the task's type, one of these
 * types.
 */
export function workflowJsonSchema(types: readonly KnownType[] = []): Record<string, unknown> {
  const { $schema, ...schema } = jsonSchema(workflow, types);
  return {
    $schema,
    title: 'Orrery workflow',
    description: 'A workflow: tasks, what they need, and when they run.',
    ...schema,
  };
}

function jsonSchema(schema: z.ZodType, types: readonly KnownType[] = []): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === taskFields)
        jsonSchema.allOf = [...logicTypes.map(logicRule), ...types.flatMap(typeRule)];
    },
  });
}

function logicRule(type: (typeof logicTypes)[number]) {
  const { $schema: _, ...schema } = jsonSchema(logicSchemas[type]);
  return ruleOf(type, schema);
}

function typeRule({ name, schema }: KnownType) {
  if (!schema) return [];
  const { $schema: _, ...settings } = schema as Record<string, unknown>;
  return [ruleOf(name, settings)];
}

function ruleOf(type: string, schema: z.core.JSONSchema.BaseSchema) {
  return {
    if: { properties: { type: { const: type } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { properties: { with: schema } },
  };
}
