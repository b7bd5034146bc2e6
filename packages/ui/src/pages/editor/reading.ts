/** The editor's reading of a text: its tasks, its problems, and the values of the current task. Pure. */
import type { AnySaid } from '@orrery/sdk/client';
import { parseWorkflowFile } from '@orrery/sdk/file';
import { isMap, type Node } from 'yaml';
import { columnOf, endOf, readSource, type Source, startOf, type TextMap, textOf } from './edit/source.ts';

/** A task type that workers can run. */
export interface TaskType {
  readonly name: string;
  readonly title?: string;
  readonly schema?: Record<string, unknown>;
}

/** Something wrong, or doubtful, at a place of the text. */
export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The message as a text; absent if it is in no table. */
  readonly said: AnySaid | undefined;
  readonly path: readonly (string | number)[];
  readonly doubt: boolean;
}

/** A task of the text. */
export interface OutlinedTask {
  readonly name: string;
  readonly type: string;
  readonly needs: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Only the text can change it. */
  readonly fixed: boolean;
  /** Its place in the list, as paths of problems name it. */
  readonly index: number;
}

/**
 * The values under keys, each with its text: of the workflow, of a task, or those that several tasks share.
 */
export interface Fields {
  /** None: the workflow itself. */
  readonly names: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
  /** By key, or by `with.key`. */
  readonly written: Readonly<Record<string, string>>;
}

/** A text that was read. */
export interface Reading {
  /** Null where the text cannot be read as YAML. */
  readonly tasks: readonly OutlinedTask[] | null;
  readonly problems: readonly TextProblem[];
  readonly fields: Fields | null;
  /** How a test run of it is started; null where it has problems. */
  readonly start: Pick<
    ReturnType<typeof parseWorkflowFile>['workflows'][number],
    'params' | 'priority'
  > | null;
}

/** Longer texts are not drawn: reading them would take a minute. */
const MOST_DRAWN = 2_000_000;
const MOST_PROBLEMS = 200;

const unreadable: ReadonlySet<string> = new Set(['bad-syntax', 'too-large']);

/** What gestures work on and the graph shows; null for a text that cannot be read, or is too long to be drawn. */
export function sourceOf(text: string): Source | null {
  return text.length <= MOST_DRAWN ? readSource(text) : null;
}

/** The tasks of a text that was read. */
export function tasksOf(source: Source | null): readonly OutlinedTask[] | null {
  return source?.tasks.map(({ map, ...task }) => ({ ...task, fixed: map === null })) ?? null;
}

/** The problems of a text. */
export function checkText(
  text: string,
  types: readonly TaskType[],
): Pick<Reading, 'problems' | 'start'> & { readonly isReadable: boolean } {
  const { problems, warnings, workflows } = parseWorkflowFile(
    text,
    types.length > 0 ? { taskTypes: types } : {},
  );
  const told = (doubt: boolean) => (one: (typeof problems)[number] | (typeof warnings)[number]) => ({
    line: one.line ?? 1,
    column: one.column ?? 1,
    message: one.message,
    said: one.said,
    path: one.path,
    doubt,
  });
  const [workflow] = workflows;
  return {
    isReadable: !problems.some(({ code }) => unreadable.has(code)),
    problems: [
      ...problems.slice(0, MOST_PROBLEMS).map(told(false)),
      ...warnings.slice(0, MOST_PROBLEMS).map(told(true)),
    ],
    start: problems.length > 0 ? null : { params: workflow.params, priority: workflow.priority },
  };
}

/** The values of tasks, or of the workflow itself; null where one is not there, or not written as a mapping. */
export function fieldsOf({ text, root, tasks }: Source, names: readonly string[]): Fields | null {
  const byName = new Map(tasks.map((task) => [task.name, task.map]));
  const maps = names.length === 0 ? [root] : names.map((name) => byName.get(name));
  const all = maps.flatMap((map) => (map ? [fieldsIn(text, map)] : []));
  if (all.length < maps.length) return null;
  const [first, ...rest] = all;
  const alike = rest.reduce(
    (one, other) => ({
      value: shared(one.value, other.value),
      written: shared(one.written, other.written),
    }),
    first,
  );
  return { names, ...alike };
}

function fieldsIn(text: string, map: TextMap): Omit<Fields, 'names'> {
  const { tasks: _, ...value } = map.toJSON() as Record<string, unknown>;
  const inner = map.items.find(({ key }) => textOf(key) === 'with')?.value;
  return {
    value,
    written: {
      ...writtenOf(text, map, ''),
      ...(isMap<Node, Node | null>(inner) && writtenOf(text, inner, 'with.')),
    },
  };
}

/** What two records have alike, down to single settings. */
function shared<Value>(one: Readonly<Record<string, Value>>, other: Readonly<Record<string, Value>>) {
  const isRecord = (value: unknown): value is Record<string, never> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const alike: Record<string, Value> = {};
  for (const [key, value] of Object.entries(one)) {
    const beside = other[key];
    if (JSON.stringify(value) === JSON.stringify(beside)) alike[key] = value;
    else if (isRecord(value) && isRecord(beside)) alike[key] = shared(value, beside) as Value;
  }
  return alike;
}

function writtenOf(text: string, map: TextMap, prefix: string): Record<string, string> {
  const written: Record<string, string> = {};
  for (const { key, value } of map.items) {
    const name = textOf(key);
    if (name === undefined || name === 'tasks' || !value?.range) continue;
    const column = columnOf(text, startOf(value));
    const lines = text.slice(startOf(value), endOf(text, value)).split('\n');
    written[prefix + name] = lines
      .map((line, k) => (k === 0 ? line : line.slice(Math.min(column, Math.max(line.search(/\S/), 0)))))
      .join('\n');
  }
  return written;
}
