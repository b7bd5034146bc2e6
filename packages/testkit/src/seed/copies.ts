/**
 * A million runs: copies of a few that were really played, each at another time, of another workflow of the same
 * shape. Written straight into the tables, because a million of anything by its operation takes an hour; columns that
 * are not known here are copied as they are.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Random } from '../random.ts';

/** A workflow that runs can be copied to: all have one shape, and a schedule that fires every eight hours. */
export interface CopyTarget {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly schedule: number;
  /** When within the eight hours, which begin at midnight UTC. */
  readonly minute: number;
}

/** What to copy and where to. */
export interface CopyOptions {
  readonly database: string;
  /** Runs that ended, each with how often it is chosen among the others. */
  readonly templates: readonly { readonly run: number; readonly weight: number }[];
  readonly targets: readonly CopyTarget[];
  readonly count: number;
  /** The last start; the first is as early as the schedules need for this number of runs. */
  readonly until: number;
  readonly random: Random;
}

type Row = Record<string, SQLInputValue>;

/** What a copy differs by. */
interface Change {
  readonly id: number;
  readonly shift: number;
  readonly target: CopyTarget;
  readonly trigger: 'tick' | 'api';
}

/** Between two ticks of a schedule. */
export const SLOT = 8 * 3_600_000;
/** One run in this many is started through the API; the others are ticks. */
const BY_API = 10;

/** Writes the copies, ids going up with time, and brings the schedules to where their last ticks are. */
export function copyRuns({ database, templates, targets, count, until, random }: CopyOptions): void {
  const db = new DatabaseSync(database);
  // No other process has it open, and an interrupted seed is recreated.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN');
  const bag = templates.flatMap(({ run, weight }) => new Array<Template>(weight).fill(readTemplate(db, run)));
  const { value: last } = db.prepare('SELECT value FROM numbers').get() as { value: number };
  const tick = db.prepare('INSERT INTO tick (schedule, due, fired_at, run) VALUES (?, ?, ?, ?)');
  const fired = new Map<CopyTarget, number>();
  let id = last;
  for (const [target, due] of latestTicks(targets, count - Math.floor(count / BY_API), until)) {
    random.pick(bag)({ id: ++id, shift: due, target, trigger: 'tick' });
    tick.run(target.schedule, due, due, id);
    fired.set(target, due);
    if ((id - last) % BY_API === BY_API - 1)
      random.pick(bag)({ id: ++id, shift: due, target: random.pick(targets), trigger: 'api' });
  }
  const schedule = db.prepare('UPDATE schedule SET fired_until = ?, next_due = ? WHERE id = ?');
  for (const [target, due] of fired) schedule.run(due, due + SLOT, target.schedule);
  db.prepare('UPDATE numbers SET value = ?').run(id);
  db.exec('COMMIT; ANALYZE');
  db.close();
}

/** The last ticks until a moment, the earliest first. */
function* latestTicks(
  targets: readonly CopyTarget[],
  count: number,
  until: number,
): Generator<[CopyTarget, due: number]> {
  const inOrder = targets.toSorted((a, b) => a.minute - b.minute);
  const dueAt = (n: number) => {
    const target = inOrder[((n % inOrder.length) + inOrder.length) % inOrder.length];
    return [target, Math.floor(n / inOrder.length) * SLOT + target.minute * 60_000] as const;
  };
  let end = Math.ceil(until / SLOT) * inOrder.length;
  while (dueAt(end - 1)[1] > until) end--;
  for (let n = end - count; n < end; n++) yield [...dueAt(n)];
}

/** Writes one copy that starts at `shift`. */
type Template = (change: Change) => void;

function readTemplate(db: DatabaseSync, run: number): Template {
  const created = (db.prepare('SELECT created_at FROM run WHERE id = ?').get(run) as { created_at: number })
    .created_at;
  const writers = (['run', 'task_run', 'attempt'] as const).flatMap((table) => {
    const rows = db
      .prepare(`SELECT * FROM ${table} WHERE ${table === 'run' ? 'id' : 'run'} = ?`)
      .all(run) as Row[];
    return rows.map((row) => rowWriter(db, table, row, { run, created }));
  });
  return (change) => {
    const shifted = { ...change, shift: change.shift - created };
    for (const write of writers) write(shifted);
  };
}

function rowWriter(
  db: DatabaseSync,
  table: string,
  row: Row,
  { run, created }: { run: number; created: number },
): (change: Change) => void {
  const columns = Object.keys(row);
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const values = columns.map((column): ((change: Change) => SQLInputValue) => {
    const value = row[column];
    if (column === (table === 'run' ? 'id' : 'run')) return ({ id }) => id;
    if (table === 'run' && column === 'workflow') return ({ target }) => target.id;
    if (table === 'run' && column === 'project') return ({ target }) => target.project;
    if (table === 'run' && column === 'name') return ({ target }) => target.name;
    if (table === 'run' && column === 'trigger_kind') return ({ trigger }) => trigger;
    if (isTime(value, created)) return ({ shift }) => value + shift;
    return typeof value === 'string' && value.startsWith('{') ? jsonWriter(value, run, created) : () => value;
  });
  return (change) => void insert.run(...values.map((value) => value(change)));
}

const FAR = 86_400_000;

/** Whether a value is a moment of the run: nothing else is near its start. */
function isTime(value: SQLInputValue, created: number): value is number {
  return typeof value === 'number' && Math.abs(value - created) < FAR;
}

/** A JSON text with the moments, the id and the project in it as holes. */
function jsonWriter(text: string, run: number, created: number): (change: Change) => string {
  const parts = text.split(/((?<="id":)\d+\b|(?<="project":)"[^"]*"|\b\d{13}\b)/);
  const pieces = parts.map((part, k): ((change: Change) => string | number) => {
    // What was split by is every second part.
    if (k % 2 === 0) return () => part;
    const number = Number(part);
    if (isTime(number, created)) return ({ shift }) => number + shift;
    if (number === run) return ({ id }) => id;
    return part.startsWith('"') ? ({ target }) => JSON.stringify(target.project) : () => part;
  });
  return (change) => {
    let made = '';
    for (const piece of pieces) made += piece(change);
    return made;
  };
}
