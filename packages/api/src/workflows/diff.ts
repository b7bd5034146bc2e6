/** What publishing would change: two versions of a workflow compared, tasks and schedules by their names. */
import type { Workflow } from '@orrery/core/model';

/** One difference; `path` names where, such as `tasks.load.retries.limit`. */
export interface Difference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Every difference, in the order of the new version and then what is gone. */
export function differences(before: Workflow, after: Workflow): Difference[] {
  const found: Difference[] = [];
  compare('', byName(before), byName(after), found);
  return found;
}

/** Lists of named things become objects, so that a moved task is no difference of all tasks behind it. */
function byName(workflow: Workflow): Record<string, unknown> {
  const named = (list: readonly { readonly name: string }[]) =>
    Object.fromEntries(list.map(({ name, ...rest }) => [name, rest]));
  return { ...workflow, tasks: named(workflow.tasks), schedules: named(workflow.schedules) };
}

function compare(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (!isObject(before) || !isObject(after)) {
    if (JSON.stringify(before) !== JSON.stringify(after)) found.push({ path, before, after });
    return;
  }
  for (const key of new Set([...Object.keys(after), ...Object.keys(before)]))
    compare(path === '' ? key : `${path}.${key}`, before[key], after[key], found);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
