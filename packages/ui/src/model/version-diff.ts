/** Compares two versions of a workflow: lines side by side with equal parts folded, and one graph of both. */
import type { GraphTask } from './graph.ts';
import type { DiffLine } from './line-diff.ts';

/** A line of one side with its number; absent where the other side has more. */
export interface SideLine {
  readonly number: number;
  readonly text: string;
}

/** A row of the comparison, or a fold of this many equal rows. */
export type DiffRow =
  | { readonly kind: 'same' | 'changed'; readonly before?: SideLine; readonly after?: SideLine }
  | { readonly kind: 'fold'; readonly id: number; readonly count: number };

/** Lines around a change that are shown. */
const CONTEXT = 3;

/** Pairs removed lines with the lines that replaced them; folds whose ids are in `opened` are shown. */
export function diffRows(lines: readonly DiffLine[], opened: ReadonlySet<number>): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [before, after] = [1, 1];
  let at = 0;
  while (at < lines.length) {
    const gone: SideLine[] = [];
    const came: SideLine[] = [];
    for (; lines[at]?.kind === 'gone'; at++) gone.push({ number: before++, text: lines[at].text });
    for (; lines[at]?.kind === 'new'; at++) came.push({ number: after++, text: lines[at].text });
    for (let k = 0; k < Math.max(gone.length, came.length); k++)
      rows.push({ kind: 'changed', before: gone[k], after: came[k] });
    for (; lines[at]?.kind === 'same'; at++) {
      const { text } = lines[at];
      rows.push({
        kind: 'same',
        before: { number: before++, text },
        after: { number: after++, text },
      });
    }
  }
  return folded(rows, opened);
}

function folded(rows: readonly DiffRow[], opened: ReadonlySet<number>): readonly DiffRow[] {
  const isNear = rows.map(() => false);
  for (const [at, { kind }] of rows.entries())
    if (kind === 'changed')
      for (let k = Math.max(0, at - CONTEXT); k <= Math.min(rows.length - 1, at + CONTEXT); k++)
        isNear[k] = true;
  const found: DiffRow[] = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && !isNear[end]) end++;
    // Showing one more line takes no more space than a fold.
    if (end - at > 1 && !opened.has(at)) found.push({ kind: 'fold', id: at, count: end - at });
    else found.push(...rows.slice(at, end));
    if (end < rows.length) found.push(rows[end]);
    at = Math.max(end + 1, at + 1);
  }
  return found;
}

/** What became of a task. */
type TaskChange = 'added' | 'removed' | 'changed' | 'moved' | 'same';

/** A task of either version. */
export interface DiffTask extends GraphTask {
  readonly change: TaskChange;
}

interface Named {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly {
    readonly name: string;
    readonly changes: readonly { readonly path: string }[];
  }[];
}

/** One graph of both versions: tasks that went stand where they stood, with the arrows of either. */
export function mergedTasks(
  before: readonly GraphTask[],
  after: readonly GraphTask[],
  { added, removed, changed }: Named,
): readonly DiffTask[] {
  const [isAdded, isRemoved] = [new Set(added), new Set(removed)];
  // A change of only `needs` moves a task in the graph, but does not change it.
  const changes = new Map(
    changed.map(({ name, changes }) => [name, changes.every(({ path }) => /(^|\.)needs\b/.test(path))]),
  );
  const old = new Map(before.map((task) => [task.name, task]));
  const all = [...after, ...before.filter(({ name }) => isRemoved.has(name))];
  return all.map(({ name, type, needs }) => {
    const onlyMoved = changes.get(name);
    const change = isAdded.has(name)
      ? 'added'
      : isRemoved.has(name)
        ? 'removed'
        : onlyMoved === undefined
          ? 'same'
          : onlyMoved
            ? 'moved'
            : 'changed';
    return { name, type, change, needs: [...new Set([...needs, ...(old.get(name)?.needs ?? [])])] };
  });
}
