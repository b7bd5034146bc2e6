/** Zod schemas as JSON Schema for OpenAPI; those with a name become components that others refer to. */
import { z } from 'zod';

/** JSON Schema, as far as it is looked into here. */
export type JsonSchema = Record<string, unknown>;

/** Collects the named schemas of everything it converts. */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {};

  /** What is sent: of an input before it is read, of an answer as it is. */
  convert(schema: z.ZodType): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    for (const [name, part] of Object.entries($defs)) this.components[name] = pointed(part) as JsonSchema;
    const { id, ...shown } = pointed(own) as JsonSchema;
    if (typeof id !== 'string') return shown;
    this.components[id] = shown;
    return { $ref: `#/components/schemas/${id}` };
  }

  /** The properties of an object, each with whether it must be there. */
  properties(schema: z.ZodObject): { name: string; required: boolean; schema: JsonSchema }[] {
    const { required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    return Object.entries(schema.shape).map(([name, part]) => ({
      name,
      required: required.includes(name),
      schema: this.convert(part as z.ZodType),
    }));
  }
}

/** References lead to components, and names of components are not said twice. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) =>
      key === '$ref' && typeof part === 'string'
        ? [key, part.replace('#/$defs/', '#/components/schemas/')]
        : [key, pointed(part)],
    ),
  );
}
