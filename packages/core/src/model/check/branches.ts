/**
 * Checks that branches of conditions and switch tasks name their successors, and that conditions ask about
 * predecessors.
 */

import { said } from '../../texts/index.ts';
import { entryAt, type Found, itemsAt, type TaskOutline, textsAt, type Written } from '../outline.ts';
import type { Report } from '../problem.ts';
import type { FindTask } from './graph.ts';

/** Reports names that a branching task cannot see, and tasks that no branch leads to. */
export function checkBranches(tasks: readonly TaskOutline[], find: FindTask, report: Report): void {
  const sets: ReadonlySet<string>[] = [];
  const needsOf = (i: number) => {
    sets[i] ??= new Set(tasks[i].needs.map(({ text }) => text));
    return sets[i];
  };
  const branching = new Set<string>();
  const reached = new Set<number>();
  for (const [i, task] of tasks.entries()) {
    if (task.type !== 'conditions' && task.type !== 'switch') continue;
    for (const check of upstreamChecks(task)) {
      if (find(check) !== undefined && !needsOf(i).has(check.text))
        report(check.path, 'not-a-predecessor', said('file.notBefore', { task: check.text }));
    }
    if (task.name === undefined) continue;
    // A disabled task chooses nothing: all its successors continue.
    if (task.keys.disabled !== true) branching.add(task.name);
    for (const { text, path } of branchesOf(task)) {
      const after = find({ text, path });
      if (after === undefined) continue;
      reached.add(after);
      if (!needsOf(after).has(task.name))
        report(path, 'not-a-successor', said('file.notAfter', { task: text, own: task.name }));
    }
  }
  for (const [i, { path, needs, keys }] of tasks.entries()) {
    const waits =
      keys.trigger === undefined || keys.trigger === 'all-succeeded' || keys.trigger === 'one-succeeded';
    if (!waits || needs.length === 0 || reached.has(i) || !needs.every(({ text }) => branching.has(text)))
      continue;
    report([...path, 'needs'], 'never-runs', said('file.neverRuns', { needs: quoted(needs) }));
  }
}

function quoted(needs: readonly Written[]): string {
  return needs.map(({ text }) => `"${text}"`).join(', ');
}

/** The upstream tasks that a condition checks, in its list and in the groups one level down. */
function upstreamChecks(task: TaskOutline): Written[] {
  if (task.type !== 'conditions') return [];
  return listed(task.with)
    .flatMap((item) => [item, ...listed(item)])
    .flatMap((item) => {
      const { value, path } = typeof item.value === 'string' ? item : entryAt(item, 'task');
      return typeof value === 'string' ? [{ text: value, path }] : [];
    });
}

/** The items under `all` and `any`. */
export function listed(found: Found): Found[] {
  return ['all', 'any'].flatMap((key) => {
    const { value, path } = entryAt(found, key);
    return itemsAt(value, path);
  });
}

/** The tasks named by a task's branches. */
function branchesOf({ type, with: found }: TaskOutline): Written[] {
  const texts = (at: Found, key: string) => {
    const { value, path } = entryAt(at, key);
    return textsAt(value, path);
  };
  if (type === 'conditions') return [...texts(found, 'success'), ...texts(found, 'failure')];
  const cases = entryAt(found, 'cases');
  return [...itemsAt(cases.value, cases.path).flatMap((one) => texts(one, 'to')), ...texts(found, 'default')];
}
