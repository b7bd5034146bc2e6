/** Checks of `orrery db doctor`: the schema's number, row counts, and orphaned rows. */
import { newestMigration, SCHEMA } from '../../migrate.ts';
import { type Operation, row } from '../../operation.ts';

/** The state of a database. */
export interface StoreCheck {
  readonly schema: { readonly applied: number; readonly known: number };
  /** Rows per table, counted up to `MOST_COUNTED`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Rows that refer to deleted ones, by kind of damage; all 0 in a healthy database. */
  readonly orphans: Readonly<Record<string, number>>;
}

/** Counting further would scan a large table completely. */
const MOST_COUNTED = 100_000;

const tables = [
  'node',
  'worker',
  'project',
  'workflow',
  'schedule',
  'command',
  'run',
  'task_run',
  'attempt',
  'inbox',
  'ready',
  'assignment',
  'limit_size',
  'limit_slot',
  'limit_wait',
  'fact',
  'dependency_wait',
  'approval',
  'trigger_due',
  'event',
];

const noRun = (table: string) => `FROM ${table} x WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.id = x.run)`;

const orphans: Readonly<Record<string, string>> = {
  'messages to no run': `${noRun('inbox')} AND NOT EXISTS (SELECT 1 FROM command c WHERE c.seq = x.run)`,
  'queued attempts of no run': noRun('ready'),
  'assigned attempts of no run': noRun('assignment'),
  'limit waits of no run': noRun('limit_wait'),
  'dependency waits of no run': noRun('dependency_wait'),
  'approvals of no run': noRun('approval'),
  'runs owned by no live node': `FROM run x WHERE x.owner IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM node n WHERE n.id = x.owner AND n.epoch = x.owner_epoch AND n.fenced = 0)`,
  'attempts assigned to no live worker': `FROM assignment x WHERE NOT EXISTS (
    SELECT 1 FROM worker w WHERE w.id = x.worker AND w.epoch = x.worker_epoch AND w.lost = 0)`,
  'attempts meant for no live worker': `FROM ready x WHERE x.target IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM worker w WHERE w.id = x.target AND w.lost = 0 AND w.draining = 0)`,
  'limits with a wrong count': `FROM limit_size x WHERE x.held <> (SELECT count(*) FROM limit_slot s WHERE s.name = x.name)`,
};

/** Checks the whole database; for people, not for regular polls. */
export function* checkStore(): Operation<StoreCheck> {
  const counts: Record<string, number> = {};
  for (const table of tables) counts[table] = yield* count(`FROM ${table}`);
  const wrong: Record<string, number> = {};
  for (const [what, from] of Object.entries(orphans)) wrong[what] = yield* count(from);
  return { schema: { applied: yield* newestMigration(), known: SCHEMA }, counts, orphans: wrong };
}

function* count(from: string): Operation<number> {
  const found = yield* row<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 ${from} LIMIT ${MOST_COUNTED}) c`,
  );
  return found?.count ?? 0;
}
