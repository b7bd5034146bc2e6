/**
 * The readable parts of a workflow file, even if other parts are wrong. Checks beyond the schema use this
 * instead of the parsed workflow: they then run despite other errors, and they know the place of each text in
 * the file, whichever short form was used.
 */
import type { Path } from './problem.ts';

/** A text and its path. */
export interface Written {
  readonly text: string;
  readonly path: Path;
}

/** A value of any kind and its path. */
export interface Found {
  readonly value: unknown;
  readonly path: Path;
}

/** The outline of one task. A task without a readable name takes part in no check that uses names. */
export interface TaskOutline {
  readonly path: Path;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly type?: string;
  readonly needs: readonly Written[];
  readonly with: Found;
}

/** The outline of a workflow. */
export interface Outline {
  readonly keys: Readonly<Record<string, unknown>>;
  readonly tasks: readonly TaskOutline[];
  readonly schedules: readonly Found[];
  readonly triggers: readonly Found[];
}

/** Reads the readable parts; never throws. */
export function outlineOf(input: unknown): Outline {
  const keys = recordOf(input);
  const single = keys.schedule === undefined ? [] : [{ value: keys.schedule, path: ['schedule'] }];
  return {
    keys,
    tasks: itemsAt(keys.tasks, ['tasks']).map(taskOutline),
    schedules: [...single, ...itemsAt(keys.schedules, ['schedules'])],
    triggers: itemsAt(keys.triggers, ['triggers']),
  };
}

function taskOutline({ value, path }: Found): TaskOutline {
  const keys = recordOf(value);
  return {
    path,
    keys,
    name: textOf(keys.name),
    type: textOf(keys.type),
    needs: textsAt(keys.needs, [...path, 'needs']),
    with: { value: keys.with, path: [...path, 'with'] },
  };
}

/** Whether a value is an object with keys. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one in place of anything else. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The value of an own key, even in an object without a prototype. */
export function entryAt(found: Found, key: string): Found {
  const keys = recordOf(found.value);
  return { value: Object.hasOwn(keys, key) ? keys[key] : undefined, path: [...found.path, key] };
}

/** The values of an object. */
export function entriesAt({ value, path }: Found): (Found & { readonly key: string })[] {
  return Object.entries(recordOf(value)).map(([key, value]) => ({ key, value, path: [...path, key] }));
}

/** The items of a list; empty for anything else. */
export function itemsAt(value: unknown, path: Path): Found[] {
  return Array.isArray(value) ? value.map((item, i) => ({ value: item, path: [...path, i] })) : [];
}

/** One text, or the texts of a list. */
export function textsAt(value: unknown, path: Path): Written[] {
  const found = Array.isArray(value) ? itemsAt(value, path) : [{ value, path }];
  return found.flatMap(({ value: text, path }) => (typeof text === 'string' ? [{ text, path }] : []));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
