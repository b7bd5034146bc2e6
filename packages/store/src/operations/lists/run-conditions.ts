/** What a list asks of each run that no index knows: as conditions of a statement, and of a command that still waits. */
import { matchesStart, type StartFilter } from '@orrery/core/run/matches';
import type { RunState } from '@orrery/core/state';
import type { Command } from '../runs/commands.ts';

/** Milliseconds between two bounds, both included. */
export interface Span {
  readonly least?: number;
  readonly most?: number;
}

/** What a run must be like; what is left out may be anything. */
export interface RunFilter extends StartFilter {
  /** Its workflow is one of these; a few hundred at most. */
  readonly workflows?: readonly number[];
  readonly states?: readonly RunState[];
  /** Created at or after this, and before that. */
  readonly from?: number;
  readonly to?: number;
  /** Open, and without an owner. */
  readonly unowned?: boolean;
  /** Open, and owned by this master. */
  readonly owner?: string;
  /** From its first start to its end, or to `now`. */
  readonly duration?: Span;
  /** From when it was created to its first start, or to `now`. */
  readonly wait?: Span;
  /** What the time is, for runs that go on. */
  readonly now?: number;
  /** One of its attempts was given to this worker. */
  readonly worker?: string;
  /** It ended badly, with this in the first line of its error, in whatever case. */
  readonly error?: string;
  /** It ended badly, with an error like this one. */
  readonly fingerprint?: string;
}

/** Conditions on the rows of runs. */
interface Conditions {
  /** Begins with `AND`, or is empty. */
  readonly rest: string;
  readonly columns: readonly string[];
  /** The values in them, a list in JSON: so one text serves all of them, and nothing has to be quoted. */
  readonly given: string;
}

/** Attempts of one run that are looked at. */
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
  // As JSON has it, with its quotes: no other tag has that in it.
  for (const tag of filter.tags ?? []) ask(['tags'], has('tags', value(JSON.stringify(tag))));
  if (error !== undefined) ask(['error'], has('lower(error)', `lower(${value(error)})`));
  if (filter.fingerprint !== undefined) ask(['fingerprint'], `fingerprint = ${value(filter.fingerprint)}`);
  if (worker !== undefined) ask([], givenTo(value(worker)));
  return { rest: parts.join(''), columns: [...columns], given: JSON.stringify(given) };
}

/** Whether a text has another in it, in words that both databases have. */
function has(text: string, part: string): string {
  return `replace(${text}, ${part}, '') <> ${text}`;
}

/** Whether an attempt of the run was given to a worker; `id` is that of the run. */
function givenTo(worker: string): string {
  return `(EXISTS (SELECT 1 FROM (SELECT worker FROM attempt WHERE attempt.run = id LIMIT ${ATTEMPTS}) a WHERE a.worker = ${worker})
    OR EXISTS (SELECT 1 FROM assignment WHERE assignment.run = id AND assignment.worker = ${worker}))`;
}

/** Words as literals: there are few, so that each text is prepared once. What is no such word is in no row. */
function words(list: readonly string[]): string {
  return list.map((word) => (/^[a-z-]+$/.test(word) ? `'${word}'` : 'NULL')).join(', ') || 'NULL';
}

/** Whether a run matches whose command still waits: it has no owner, worker, error or duration yet. */
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
