/**
 * Filters of the run list that no index serves: as SQL conditions on runs, and as checks on a waiting
 * command.
 */
import { matchesStart, type StartFilter } from '@orrery/core/run/matches';
import type { RunState } from '@orrery/core/state';
import type { Command } from '../runs/commands.ts';

/** Milliseconds between two bounds, both included. */
export interface Span {
  readonly least?: number;
  readonly most?: number;
}

/** Conditions on a run; omitted ones match any run. */
export interface RunFilter extends StartFilter {
  /** Ids of its workflow; a few hundred at most. */
  readonly workflows?: readonly number[];
  readonly states?: readonly RunState[];
  /** Created at or after `from`, and before `to`. */
  readonly from?: number;
  readonly to?: number;
  /** Open, and without an owner. */
  readonly unowned?: boolean;
  /** Open, and owned by this master. */
  readonly owner?: string;
  /** From its first start to its end, or to `now`. */
  readonly duration?: Span;
  /** From its creation to its first start, or to `now`. */
  readonly wait?: Span;
  /** The current time, for open runs. */
  readonly now?: number;
  /** One of its attempts was given to this worker. */
  readonly worker?: string;
  /** It ended badly, and the first line of its error contains this, ignoring case. */
  readonly error?: string;
  /** It ended badly, with an error of this fingerprint. */
  readonly fingerprint?: string;
}

/** SQL conditions on runs. */
interface Conditions {
  /** Starts with `AND`, or is empty. */
  readonly rest: string;
  readonly columns: readonly string[];
  /** Their values as one JSON list: one statement text serves all values, and nothing needs quoting. */
  readonly given: string;
}

/** Limit of attempts inspected per run. */
const ATTEMPTS = 10_000;

/** Conditions that no index serves. */
export function conditionsOf(filter: RunFilter): Conditions {
  const parts: string[] = [];
  const columns = new Set<string>();
  const given: (string | number)[] = [];
  const value = (of: string | number) => `(k.given ->> ${given.push(of) - 1})`;
  const number = (of: number) => `CAST(${value(of)} AS BIGINT)`;
  const ask = (used: readonly string[], condition: string) => {
    for (const column of used) columns.add(column);
    parts.push(` AND ${condition}`);
  };
  const {
    project,
    states,
    triggers,
    kind,
    from,
    to,
    versions,
    owner,
    worker,
    error,
    parent,
    now = 0,
  } = filter;
  if (project !== undefined) ask(['project'], 'project = k.project');
  if (states !== undefined) ask(['state'], `state IN (${words(states)})`);
  if (triggers !== undefined) ask(['trigger_kind'], `trigger_kind IN (${words(triggers)})`);
  if (kind !== undefined) ask(['kind'], `kind IN (${words([kind])})`);
  if (from !== undefined) ask(['created_at'], 'created_at >= k.since');
  if (to !== undefined) ask(['created_at'], 'created_at < k.until');
  if (filter.unowned) ask(['owner'], 'owner IS NULL');
  if (owner !== undefined) ask(['owner'], `owner = ${value(owner)}`);
  if (versions !== undefined) ask(['version'], `version IN (${versions.map(number).join(', ') || 'NULL'})`);
  if (parent !== undefined) ask(['parent'], `parent = ${number(parent)}`);
  const within = (used: readonly string[], { least, most }: Span, length: () => string) => {
    if (least !== undefined) ask(used, `${length()} >= ${number(least)}`);
    if (most !== undefined) ask(used, `${length()} <= ${number(most)}`);
  };
  within(
    ['started_at', 'ended_at', 'idle'],
    filter.duration ?? {},
    () => `COALESCE(ended_at, ${number(now)}) - started_at - idle`,
  );
  within(
    ['created_at', 'started_at', 'ended_at'],
    filter.wait ?? {},
    () => `COALESCE(started_at, ended_at, ${number(now)}) - created_at`,
  );
  for (const [name, wanted] of Object.entries(filter.params ?? {}))
    ask(['fields'], `(k.fields -> 'params' ->> ${value(name)}) = ${value(wanted)}`);
  // With its JSON quotes, so that it matches no part of another tag.
  for (const tag of filter.tags ?? []) ask(['tags'], has('tags', value(JSON.stringify(tag))));
  if (error !== undefined) ask(['error'], has('lower(error)', `lower(${value(error)})`));
  if (filter.fingerprint !== undefined) ask(['fingerprint'], `fingerprint = ${value(filter.fingerprint)}`);
  if (worker !== undefined) ask([], givenTo(value(worker)));
  return { rest: parts.join(''), columns: [...columns], given: JSON.stringify(given) };
}

/** Whether a text contains another, in SQL of both dialects. */
function has(text: string, part: string): string {
  return `replace(${text}, ${part}, '') <> ${text}`;
}

/** Whether an attempt of the run was given to a worker; `id` is the run's. */
function givenTo(worker: string): string {
  return `(EXISTS (SELECT 1 FROM (SELECT worker FROM attempt WHERE attempt.run = id LIMIT ${ATTEMPTS}) a WHERE a.worker = ${worker})
    OR EXISTS (SELECT 1 FROM assignment WHERE assignment.run = id AND assignment.worker = ${worker}))`;
}

/**
 * Words as literals: the few combinations keep the prepared statements few. A word outside the set matches no
 * row.
 */
function words(list: readonly string[]): string {
  return list.map((word) => (/^[a-z-]+$/.test(word) ? `'${word}'` : 'NULL')).join(', ') || 'NULL';
}

/** Whether the run of a waiting command matches: it has no owner, worker, error or duration yet. */
export function matchesCommand(filter: RunFilter, command: Command, createdAt: number): boolean {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, wait = {}, now = createdAt } = filter;
  const known = [filter.owner, filter.worker, filter.error, filter.fingerprint, filter.duration];
  const waited = now - createdAt;
  return (
    !filter.unowned &&
    known.every((each) => each === undefined) &&
    matchesStart(filter, { ...command, parent: command.parent?.run }) &&
    createdAt >= from &&
    createdAt < to &&
    waited >= (wait.least ?? 0) &&
    waited <= (wait.most ?? waited)
  );
}
