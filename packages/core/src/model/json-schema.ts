/** The workflow file as JSON Schema (draft 2020-12), for editors and forms: made from the schema that reads it. */
import { z } from 'zod';
import { logicTypes } from './glossary.ts';
import { logicSchemas } from './schema/logic.ts';
import { taskFields } from './schema/task.ts';
import { workflow } from './schema/workflow.ts';

/** The JSON Schema of what people write. What `with` accepts depends on the type of the task. */
export function workflowJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = jsonSchema(workflow);
  return {
    $schema,
    title: 'Orrery workflow',
    description: 'A workflow: tasks, what they need, and when they run.',
    ...schema,
  };
}

function jsonSchema(schema: z.ZodType) {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === taskFields) jsonSchema.allOf = logicTypes.map(logicRule);
    },
  });
}

function logicRule(type: (typeof logicTypes)[number]) {
  const { $schema: _, ...schema } = jsonSchema(logicSchemas[type]);
  return {
    if: { properties: { type: { const: type } }, required: ['type'] },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { properties: { with: schema } },
  };
}
