/**
 * Dependents and facts. A dependent commits its wait and evaluates in a later operation; a round's end
 * commits its fact and a later operation wakes the waiters. Whichever comes second sees the other. Open waits
 * are polled as well, so a lost wake costs only time.
 */
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { insert, unnest } from '../../table.ts';
import { dependencyOnTable, dependencyWaitTable } from '../../tables.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { ownersOf, type RunOwner, tell } from './inbox.ts';

/** A dependent task in one round of its run. */
export interface WaitRef {
  readonly task: number;
  readonly round: number;
}

/** A dependent task that starts to wait. */
export interface DependencyWait extends WaitRef {
  /** Ids of the workflows it waits for. */
  readonly on: readonly number[];
  /** When to evaluate again at the latest. */
  readonly lookAt: number;
}

/** The end of a run's round, for dependents; kept long after the run is deleted. */
export interface FactRow {
  readonly workflow: number;
  readonly businessTime: number;
  readonly run: number;
  readonly round: number;
  readonly state: string;
  /** JSON: states of its tasks by name. */
  readonly tasks: string;
  readonly endedAt: number;
}

type OfRun<T> = T & { readonly run: number };

/** Opens waits; an open one is replaced. */
export function* openWaits(waits: readonly OfRun<DependencyWait>[], now: number): Operation<void> {
  if (waits.length === 0) return;
  yield* insert(
    dependencyWaitTable,
    waits.map(({ run, task, round, lookAt }) => ({ run, task, round, since: now, look_at: lookAt })),
    '(run, task, round) DO UPDATE SET look_at = excluded.look_at',
  );
  yield* insert(
    dependencyOnTable,
    waits.flatMap(({ run, task, round, on }) =>
      [...new Set(on)].map((workflow) => ({ workflow, run, task, round })),
    ),
    'DO NOTHING',
  );
}

/** Closes waits, for any reason. */
export function* closeWaits(waits: readonly OfRun<WaitRef>[]): Operation<void> {
  const types = ['int', 'int', 'int'] as const;
  const list = waits.map(({ run, task, round }) => [run, task, round]);
  const isWait = 't.run = k.run AND t.task = k.task AND t.round = k.round';
  for (const table of ['dependency_on', 'dependency_wait']) {
    yield* batch(
      {
        sqlite: `DELETE FROM ${table} WHERE run = ?1 AND task = ?2 AND round = ?3`,
        postgres: `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM ${unnest(types)} AS k(run, task, round)
          CROSS JOIN LATERAL (SELECT t.ctid FROM ${table} t WHERE ${isWait} FOR UPDATE) x))`,
      },
      types,
      list,
    );
  }
}

/** Those of the workflows that someone waits for. */
export function* findAwaited({ workflows }: { readonly workflows: readonly number[] }): Operation<number[]> {
  const { rows: found } = yield* batch<{ workflow: number }>(
    {
      sqlite: 'SELECT workflow FROM dependency_on WHERE workflow = ?1 LIMIT 1',
      postgres: `SELECT k.workflow FROM ${unnest(['int'])} AS k(workflow)
        WHERE EXISTS (SELECT 1 FROM dependency_on d WHERE d.workflow = k.workflow)`,
    },
    ['int'],
    workflows.map((workflow) => [workflow]),
  );
  return found.map(({ workflow }) => workflow);
}

/**
 * Wakes all waiters of one of these workflows and returns the owners of their runs. Not part of the commit of
 * the end.
 */
export function* wakeDependents(input: {
  readonly self: Self;
  readonly workflows: readonly number[];
  readonly now: number;
}): Operation<readonly RunOwner[]> {
  const { self, workflows, now } = input;
  yield* checkSelf(self);
  const { rows: waits } = yield* batch<OfRun<WaitRef>>(
    {
      sqlite: 'SELECT run, task, round FROM dependency_on WHERE workflow = ?1',
      postgres: 'SELECT DISTINCT run, task, round FROM dependency_on WHERE workflow = ANY (?1::int8[])',
    },
    ['int'],
    [...new Set(workflows)].map((workflow) => [workflow]),
  );
  return yield* tellToLook(waits, now);
}

/** Wakes waiters whose next evaluation is due, and schedules the one after. */
export function* dueLooks(input: {
  readonly self: Self;
  readonly every: number;
  readonly limit: number;
  readonly now: number;
}): Operation<readonly RunOwner[]> {
  const { self, every, limit, now } = input;
  yield* checkSelf(self);
  const due = 'SELECT run, task, round FROM dependency_wait WHERE look_at <= ?1 ORDER BY look_at LIMIT ?3';
  const set = (chosen: string) =>
    `UPDATE dependency_wait SET look_at = ?2 WHERE (run, task, round) IN (${chosen}) RETURNING run, task, round`;
  const waits = yield* rows<OfRun<WaitRef>>(
    { sqlite: set(due), postgres: set(`${due} FOR UPDATE SKIP LOCKED`) },
    now,
    now + every,
    limit,
  );
  return yield* tellToLook(waits, now);
}

/** Counted facts of workflows in a range of business time: `from` inclusive, `to` exclusive. */
export function* readFacts(input: {
  readonly wanted: readonly { readonly workflow: number; readonly from: number; readonly to: number }[];
}): Operation<readonly FactRow[]> {
  const types = ['int', 'int', 'int'] as const;
  const columns = `f.workflow, f.business_time AS "businessTime", f.run, f.round, f.state, f.tasks, f.ended_at AS "endedAt"`;
  const { rows: facts } = yield* batch<FactRow>(
    {
      sqlite: `SELECT ${columns} FROM fact f WHERE workflow = ?1 AND business_time >= ?2 AND business_time < ?3 AND counts = 1
        ORDER BY business_time, run, round`,
      postgres: `SELECT ${columns} FROM ${unnest(types)} WITH ORDINALITY AS k(workflow, from_time, to_time, place)
        JOIN fact f ON f.workflow = k.workflow AND f.business_time >= k.from_time AND f.business_time < k.to_time AND f.counts = 1
        ORDER BY k.place, f.business_time, f.run, f.round`,
    },
    types,
    input.wanted.map(({ workflow, from, to }) => [workflow, from, to]),
  );
  return facts;
}

/** An open run and its business time. */
export interface OpenPeriod {
  readonly run: number;
  readonly businessTime: number;
  readonly state: string;
}

/** Open runs of workflows in a range of business time: `from` inclusive, `to` exclusive. */
export function* readOpenPeriods(input: Parameters<typeof readFacts>[0]): Operation<readonly OpenPeriod[]> {
  const types = ['int', 'int', 'int'] as const;
  const columns = 'r.id AS run, r.business_time AS "businessTime", r.state';
  const { rows: open } = yield* batch<OpenPeriod>(
    {
      sqlite: `SELECT ${columns} FROM run r INDEXED BY run_open_of WHERE workflow = ?1 AND standing = 0
        AND business_time >= ?2 AND business_time < ?3 AND kind = 'normal' AND counts = 1 ORDER BY r.id`,
      postgres: `SELECT ${columns} FROM ${unnest(types)} AS k(workflow, from_time, to_time)
        JOIN run r ON r.workflow = k.workflow AND r.business_time >= k.from_time AND r.business_time < k.to_time
        WHERE r.standing = 0 AND r.kind = 'normal' AND r.counts = 1 ORDER BY r.id`,
    },
    types,
    input.wanted.map(({ workflow, from, to }) => [workflow, from, to]),
  );
  return open;
}

/** First business time of a workflow, from its stored rounds or its oldest run. */
export function* firstBusinessTime({
  workflow,
}: {
  readonly workflow: number;
}): Operation<number | undefined> {
  const found = yield* row<{ first: number | null }>(
    `SELECT min(t.business_time) AS first FROM (
       SELECT min(business_time) AS business_time FROM fact WHERE workflow = ?1 AND counts = 1
       UNION ALL SELECT o.business_time FROM (
         SELECT business_time FROM run WHERE workflow = ?1 AND counts = 1 ORDER BY id LIMIT 1) o) t`,
    workflow,
  );
  return found?.first ?? undefined;
}

/** Deletes facts of rounds that ended before a time and whose business time is as old, a few at a time. */
export function* sweepFacts({
  before,
  limit,
}: {
  readonly before: number;
  readonly limit: number;
}): Operation<number> {
  return yield* change(
    `DELETE FROM fact WHERE (workflow, business_time, run, round) IN (
       SELECT f.workflow, f.business_time, f.run, f.round FROM workflow w JOIN fact f ON f.workflow = w.id
       WHERE f.business_time < ?1 AND f.ended_at < ?1 LIMIT ?2)`,
    before,
    limit,
  );
}

function* tellToLook(waits: readonly OfRun<WaitRef>[], now: number): Operation<readonly RunOwner[]> {
  yield* tell(
    waits.map(({ run, task, round }) => ({ run, message: { type: 'look', task, round } })),
    now,
  );
  return yield* ownersOf(waits.map(({ run }) => run));
}
