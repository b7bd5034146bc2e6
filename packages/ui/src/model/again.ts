/**
 * Running a run again: turns a person's choice into one control. The server lists what the control would run
 * (`dryRun`); if tasks are removed from that list, the control names exactly the others.
 */

/** The ways to run again. */
export const againModes = ['recover', 'all', 'from', 'to', 'only'] as const;
export type AgainMode = (typeof againModes)[number];

/** What was chosen; `task` is where `from`, `to` and `only` apply. */
export interface AgainChoice {
  readonly mode: AgainMode;
  readonly task: string | null;
  /** Tasks taken off what the mode would run. */
  readonly without: ReadonlySet<string>;
}

/** The part of the graph that a round walks. */
interface Scope {
  readonly kind: 'all' | 'from' | 'to' | 'only';
  readonly tasks: readonly string[];
}

/** The control that does it: a recovery, or a rerun of a part. */
export type AgainRequest =
  | { readonly operation: 'recover' }
  | { readonly operation: 'rerun'; readonly scope: Scope };

/** The control of a mode before single tasks are removed; undefined while a task is missing. */
export function wholeRequest({ mode, task }: Pick<AgainChoice, 'mode' | 'task'>): AgainRequest | undefined {
  if (mode === 'recover') return { operation: 'recover' };
  if (mode === 'all') return { operation: 'rerun', scope: { kind: 'all', tasks: [] } };
  return task === null ? undefined : { operation: 'rerun', scope: { kind: mode, tasks: [task] } };
}

/** The control that runs exactly the rest of `affected`; undefined if none is left. */
export function requestOf(choice: AgainChoice, affected: readonly string[]): AgainRequest | undefined {
  const left = affected.filter((name) => !choice.without.has(name));
  if (left.length === 0) return undefined;
  if (left.length === affected.length) return wholeRequest(choice);
  return { operation: 'rerun', scope: { kind: 'only', tasks: left } };
}

/** The same as a line for a shell. */
export function againCommand(run: number, request: AgainRequest): string {
  if (request.operation === 'recover') return `orrery runs recover ${run}`;
  const { kind, tasks } = request.scope;
  const flags = tasks.map((name) => ` --${kind} ${quoted(name)}`).join('');
  return `orrery runs rerun ${run}${flags}`;
}

/** A word for a POSIX shell: plain where that is safe, else in quotes. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
