/** Two versions of a workflow compared, tasks and schedules by their names. */
import type { Answer } from '@orrery/contract';
import type { Workflow } from '@orrery/core/model';

/** How one value changed. */
export type Difference = Answer<'publishDraft'>['diff'][number];
/** What differs, without the texts. */
export type Comparison = Omit<Answer<'compareVersions'>, 'texts'>;
type Named = Comparison['tasks'];

/** Every difference: first in the order of the new version, then what was removed. */
export function differences(before: Workflow, after: Workflow): Difference[] {
  const found: Difference[] = [];
  compare('', whole(before), whole(after), found);
  return found;
}

/** Every difference of two values that are no workflows; lists are compared as a whole. */
export function valueDifferences(before: object, after: object): Difference[] {
  const found: Difference[] = [];
  compare('', before, after, found);
  return found;
}

/** What was added, removed and changed: tasks, the edges between them, schedules, and everything else. */
export function compareVersions(before: Workflow, after: Workflow): Comparison {
  const fields: Difference[] = [];
  const { tasks: _t, schedules: _s, ...restBefore } = whole(before);
  const { tasks: _u, schedules: _v, ...restAfter } = whole(after);
  compare('', restBefore, restAfter, fields);
  const tasks = compareNamed(byName(withoutNeeds(before)), byName(withoutNeeds(after)));
  const schedules = compareNamed(byName(before.schedules), byName(after.schedules));
  const edges = compareEdges(before, after);
  const counts = [tasks, schedules].flatMap(({ added, removed, changed }) => [added, removed, changed]);
  const same = [...counts, edges.added, edges.removed, fields].every((list) => list.length === 0);
  return { same, tasks, edges, schedules, fields };
}

/** Lists of named things become objects, so that a moved task is no difference of all tasks behind it. */
function whole(workflow: Workflow): Record<string, unknown> {
  return {
    ...workflow,
    tasks: byName(workflow.tasks),
    schedules: byName(workflow.schedules),
    triggers: byName(workflow.triggers),
  };
}

function byName(list: readonly { readonly name: string }[]): Record<string, unknown> {
  return Object.fromEntries(list.map(({ name, ...rest }) => [name, rest]));
}

/** Without `needs`, which the comparison reports as edges. */
function withoutNeeds({ tasks }: Workflow): readonly { readonly name: string }[] {
  return tasks.map(({ needs: _needs, ...task }) => task);
}

function compareNamed(before: Record<string, unknown>, after: Record<string, unknown>): Named {
  const changed: Named['changed'][number][] = [];
  for (const name of Object.keys(after)) {
    if (!Object.hasOwn(before, name)) continue;
    const changes: Difference[] = [];
    compare('', before[name], after[name], changes);
    if (changes.length > 0) changed.push({ name, changes });
  }
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
    changed,
  };
}

function compareEdges(before: Workflow, after: Workflow): Comparison['edges'] {
  const [old, now] = [edgesOf(before), edgesOf(after)];
  return {
    added: [...now].flatMap(([key, edge]) => (old.has(key) ? [] : [edge])),
    removed: [...old].flatMap(([key, edge]) => (now.has(key) ? [] : [edge])),
  };
}

function edgesOf({ tasks }: Workflow): Map<string, { from: string; to: string }> {
  return new Map(
    tasks.flatMap(({ name: to, needs }) =>
      needs.map((from): [string, { from: string; to: string }] => [`${from}\n${to}`, { from, to }]),
    ),
  );
}

function compare(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (!isObject(before) || !isObject(after)) {
    if (JSON.stringify(before) !== JSON.stringify(after)) found.push({ path, before, after });
    return;
  }
  for (const key of new Set([...Object.keys(after), ...Object.keys(before)]))
    compare(path === '' ? key : `${path}.${key}`, own(before, key), own(after, key), found);
}

/** A task may be called `constructor`. */
function own(keys: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(keys, key) ? keys[key] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
