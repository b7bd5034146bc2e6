/**
 * What can be read of a workflow file even where parts of it are wrong. Checks beyond the shape work on this and
 * not on the parsed workflow, for two reasons: they run although something else is wrong, and they know where
 * in the file each text stands, whichever of its short forms was used.
 */
import type { Path } from './problem.ts';

/** A text and where it stands. */
export interface Written {
  readonly text: string;
  readonly path: Path;
}

/** A value of any kind and where it stands. */
export interface Found {
  readonly value: unknown;
  readonly path: Path;
}

/** What is known of one task. A task without a readable name takes part in no check that uses names. */
export interface TaskOutline {
  readonly path: Path;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly type?: string;
  readonly needs: readonly Written[];
  readonly with: Found;
}

/** What is known of a workflow. */
export interface Outline {
  readonly keys: Readonly<Record<string, unknown>>;
  readonly tasks: readonly TaskOutline[];
  readonly schedules: readonly Found[];
  readonly triggers: readonly Found[];
}

/** Reads what can be read; never throws. */
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

/** An object, or an empty one in place of anything else. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** The own value of a key, wherever the object came from. */
export function entryAt(found: Found, key: string): Found {
  const keys = recordOf(found.value);
  return { value: Object.hasOwn(keys, key) ? keys[key] : undefined, path: [...found.path, key] };
}

/** The values of an object. */
export function entriesAt({ value, path }: Found): (Found & { readonly key: string })[] {
  return Object.entries(recordOf(value)).map(([key, value]) => ({ key, value, path: [...path, key] }));
}

/** The items of a list; none of anything else. */
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
