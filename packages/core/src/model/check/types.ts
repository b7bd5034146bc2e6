/** Checks that task types exist, and that each task's `with` fits its type. */
import { z } from 'zod';
import { english, said } from '../../texts/index.ts';
import { isLogicType } from '../glossary.ts';
import { problemsOf } from '../issues.ts';
import { hintFor } from '../nearest.ts';
import { isRecord, type TaskOutline } from '../outline.ts';
import type { Path, Report } from '../problem.ts';

/** A task type that some worker can run. */
export interface KnownType {
  readonly name: string;
  /** JSON Schema of its `with`; the worker checks what this cannot express. */
  readonly schema?: object;
}

/**
 * Reports unknown types, and values in `with` that the type would refuse whatever its placeholders become.
 */
export function checkTypes(tasks: readonly TaskOutline[], types: readonly KnownType[], report: Report): void {
  const known = new Map(types.map((type) => [type.name, type]));
  for (const task of tasks) {
    if (task.type === undefined || isLogicType(task.type)) continue;
    const type = known.get(task.type);
    if (type) checkSettings(task, type, report);
    else
      report(
        [...task.path, 'type'],
        'unknown-type',
        said('file.unknownType', {
          task: task.name ?? '',
          type: task.type,
          hint: hintFor(task.type, [...known.keys()]),
        }),
      );
  }
}

function checkSettings(task: TaskOutline, { schema }: KnownType, report: Report): void {
  const accepts = schema && readerOf(schema);
  const { value = {}, path } = task.with;
  if (!accepts || !isRecord(value)) return;
  const result = accepts.safeParse(value, { reportInput: true });
  if (result.success) return;
  const certain = result.error.issues
    .filter((issue) => issue.code === 'unrecognized_keys' || !hasPlaceholder(valueAt(value, issue.path)))
    .map((issue) => reworded(issue, schema));
  for (const { path: at, code, message, said } of problemsOf(certain, path))
    report(at, code, said ?? message);
}

/** Cache of parsed schemas by source; a type is checked repeatedly. */
const readers = new WeakMap<object, z.ZodType | null>();

function readerOf(schema: object): z.ZodType | undefined {
  let reader = readers.get(schema);
  if (reader === undefined) {
    try {
      reader = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]) as z.ZodType;
    } catch {
      // The schema uses a feature that cannot be checked here; the worker checks it when the task runs.
      reader = null;
    }
    readers.set(schema, reader);
  }
  return reader ?? undefined;
}

/** Replaces the message of the schema's own reader. */
function reworded(issue: z.core.$ZodIssue, schema: object): z.core.$ZodIssue {
  if (issue.code === 'unrecognized_keys') return { ...issue, message: keysOf(schema) };
  // A pattern means nothing to most people; the description says the same in words.
  const description = issue.code === 'invalid_format' && descriptionAt(schema, issue.path);
  if (!description) return issue;
  const words = said('file.notAccepted', { text: String(issue.input), description });
  const { path, input } = issue;
  return { code: 'custom', path, input, message: english(words), params: { said: words } };
}

function descriptionAt(schema: object, path: readonly PropertyKey[]): string | undefined {
  let at: unknown = schema;
  for (const key of path)
    at = isRecord(at) && isRecord(at.properties) ? at.properties[String(key)] : undefined;
  return isRecord(at) && typeof at.description === 'string' ? at.description : undefined;
}

/** The form in which `problemsOf` looks for the accepted keys. */
function keysOf(schema: object): string {
  return 'properties' in schema && isRecord(schema.properties)
    ? Object.keys(schema.properties).join(', ')
    : '';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path as Path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** The value of a placeholder is known only when the task runs. */
function hasPlaceholder(value: unknown): boolean {
  if (typeof value === 'string') return /\$[{[]/.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasPlaceholder);
}
