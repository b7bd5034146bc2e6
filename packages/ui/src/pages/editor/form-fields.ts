/** Which fields a form has for a task or a workflow, by the JSON Schema; what cannot be drawn is a field of YAML. Pure. */
import { helpOf, type Schema, schemasAt } from './schema-help.ts';

/** How a field is drawn. */
type FieldKind = 'text' | 'number' | 'choice' | 'flag' | 'code' | 'yaml';

/** One field of a form. */
export interface EditorField {
  readonly path: readonly string[];
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly help: string | undefined;
  readonly choices: readonly string[];
  /** What holds where nothing is written. */
  readonly standard: string;
}

/** Keys that have a place of their own in the form, or none. */
const elsewhere: ReadonlySet<string> = new Set([
  '$schema',
  'name',
  'project',
  'tasks',
  'needs',
  'type',
  'with',
  'schedule',
]);
const codeFormats: ReadonlySet<string> = new Set(['sql', 'code', 'shell', 'python']);
const codeKeys: ReadonlySet<string> = new Set(['script', 'code', 'sql', 'body', 'rawScript']);

/** The settings of a task's type, then what every task has; of the workflow itself without a type. */
export function fieldsFor(
  schema: Schema,
  type: string | null,
  value: Readonly<Record<string, unknown>>,
): readonly EditorField[] {
  const settings = (typeof value.with === 'object' && value.with) || {};
  if (type === null) return fieldsAt(schema, [], null, [], value);
  return [
    ...fieldsAt(schema, ['tasks', 'with'], type, ['with'], settings as Record<string, unknown>),
    ...fieldsAt(schema, ['tasks'], type, [], value),
  ];
}

function fieldsAt(
  schema: Schema,
  at: readonly string[],
  type: string | null,
  prefix: readonly string[],
  value: Readonly<Record<string, unknown>>,
): readonly EditorField[] {
  const fields = new Map<string, EditorField>();
  for (const { properties = {}, required = [] } of schemasAt(schema, at, type))
    for (const [key, one] of Object.entries(properties)) {
      if (fields.has(key) || (prefix.length === 0 && elsewhere.has(key))) continue;
      const kind = kindOf(one, key, value[key]);
      fields.set(key, {
        path: [...prefix, key],
        kind,
        required: required.includes(key),
        help: helpOf({ ...one, enum: undefined, default: undefined }),
        choices: kind === 'choice' ? (one.enum ?? []).map(String) : [],
        standard: one.default === undefined || typeof one.default === 'object' ? '' : String(one.default),
      });
    }
  // Keys unknown to the schema are shown as written, and never dropped.
  for (const key of Object.keys(value))
    if (!fields.has(key) && !(prefix.length === 0 && elsewhere.has(key)))
      fields.set(key, {
        path: [...prefix, key],
        kind: 'yaml',
        required: false,
        help: undefined,
        choices: [],
        standard: '',
      });
  return [...fields.values()];
}

function kindOf(schema: Schema, key: string, value: unknown): FieldKind {
  if (typeof value === 'object' && value !== null) return 'yaml';
  if (schema.enum) return 'choice';
  const kinds = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? []);
  if (schema.type === 'boolean') return 'flag';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (codeFormats.has(schema.format ?? '') || (codeKeys.has(key) && kinds.includes('string'))) return 'code';
  return kinds.includes('string') || kinds.includes('integer') ? 'text' : 'yaml';
}

/** What was typed, as the value that is written; undefined takes the key out. */
export function valueOfTyped({ kind }: EditorField, typed: string): unknown {
  if (typed.trim() === '') return undefined;
  if (kind === 'yaml') return { yaml: typed };
  if (kind === 'flag') return typed === 'true' ? true : undefined;
  if (
    (kind === 'number' || kind === 'text') &&
    /^-?\d+(?:\.\d+)?$/.test(typed) &&
    String(Number(typed)) === typed
  )
    return Number(typed);
  return typed;
}
