/** Values that travel as text, in a path or a query: what a schema asks for decides what a text means. */
import type { z } from 'zod';

/** The value of a text; one that does not fit is handed on as it is, for the schema to refuse. */
export function fromText(schema: z.core.$ZodType, text: string | readonly string[]): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return fromText(def.innerType, text);
    case 'pipe':
      return fromText(def.in, text);
    case 'array':
      return listed(text).map((entry) => fromText(def.element, entry));
    case 'union':
      return firstFit(def.options, text);
    case 'number':
      return typeof text === 'string' && /^-?\d{1,17}(\.\d{1,17})?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

/** Commas, or the same name again. */
function listed(text: string | readonly string[]): string[] {
  return [text]
    .flat()
    .flatMap((part) => part.split(','))
    .filter((part) => part !== '');
}

/** A number among the choices takes what looks like one. */
function firstFit(options: readonly z.core.$ZodType[], text: string | readonly string[]): unknown {
  for (const option of options) {
    const value = fromText(option, text);
    if (value !== text) return value;
  }
  return text;
}
