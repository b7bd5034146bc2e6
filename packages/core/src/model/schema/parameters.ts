/** Parameters in the file: a plain value, a list, or a declaration with a type, options and a description. */

import { z } from 'zod';
import { isParameterName, RESERVED_PREFIXES } from '../../params/index.ts';
import { said } from '../../texts/index.ts';
import { type ParameterType, parameterTypes } from '../glossary.ts';
import type { DeclaredParameter } from '../types.ts';
import { flag, object, quote, report, text } from './values.ts';

/** A single value of any type; it becomes text. */
export const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const list = z.array(scalar).transform((values) => JSON.stringify(values));

/** A value; a list becomes JSON text. */
export const parameterValue = z.union([scalar, list]);

const parameterName = z.string().superRefine((value, context) => {
  const text = quote(value);
  if (!isParameterName(value)) report(context, 'bad-value', said('file.parameterName', { text }));
  else if (RESERVED_PREFIXES.some((prefix) => value.startsWith(prefix)))
    report(context, 'bad-value', said('file.reservedName', { text, prefixes: RESERVED_PREFIXES }));
});

/** A record of values by parameter name. */
export function byParameter<Value extends z.ZodType>(value: Value) {
  return z.record(parameterName, value);
}

/** Values by name. */
export const parameters = byParameter(parameterValue);

const declaration = object({
  type: z
    .enum(parameterTypes)
    .default('string')
    .describe('What values are accepted; text unless said otherwise.'),
  default: parameterValue.optional().describe('The value unless another is given.'),
  required: flag.default(false).describe('A run does not start without a value.'),
  options: z.array(scalar).min(1).optional().describe('The only values accepted.'),
  pattern: z
    .string()
    .max(200)
    .optional()
    .describe('A regular expression that the whole of a given value must match.'),
  description: text.optional().describe('Shown beside the field in the start form.'),
  output: flag.default(false).describe('Handed back to the parent workflow when the run ends.'),
});

/** Declared parameters by name. A plain value declares a text, or a list, with that default. */
export const declaredParameters = byParameter(
  z.union([
    scalar.transform((value) => declare('string', value)),
    list.transform((value) => declare('list', value)),
    declaration,
  ]),
);

function declare(type: ParameterType, value: string): DeclaredParameter {
  return { type, default: value, required: false, output: false };
}
