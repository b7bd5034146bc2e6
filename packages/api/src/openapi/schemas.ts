/** Converts Zod schemas to JSON Schema for OpenAPI. Named schemas become components. */
import { z } from 'zod';

/** JSON Schema; only the parts that are read here are typed. */
export type JsonSchema = Record<string, unknown>;

/** Collects the named schemas of everything it converts. */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {};

  /** The schema on the wire: of an input before parsing, of an answer unchanged. */
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

/** References point to components, without repeated names. */
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
