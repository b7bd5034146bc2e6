/**
 * A run of the largest workflow there may be, written straight into the tables: half of its tasks succeeded, one
 * failed, and what was left was skipped. To play it would take minutes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseWorkflow } from '@orrery/core/model';
import type { RunFields } from '@orrery/core/run';
import { openSqlite } from '@orrery/store';

const RUN = 1_000_000;
const STEP = 10;

/** The name of a task by its number. */
export function largestTask(index: number): string {
  return `t${String(index).padStart(6, '0')}`;
}

/** Layers of a hundred tasks, each task after two of the layer before. */
export function largestWorkflow(count: number): object {
  const tasks = Array.from({ length: count }, (_, k) => ({
    name: largestTask(k),
    type: 'noop',
    ...(k >= 100 && { needs: [largestTask(k - 100), largestTask(k - 100 - (k % 100) + ((k + 1) % 100))] }),
  }));
  return { project: 'ml', name: 'largest', tasks };
}

/** Fills a folder; the id of the last run. The task in the middle is the one that failed. */
export async function seedLargestRun(
  folder: string,
  now: number,
  count = 100_000,
  runs = 1,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const { workflow, problems } = parseWorkflow(largestWorkflow(count));
  if (!workflow) throw new Error(problems.map(({ message }) => message).join('; '));
  const source = JSON.stringify(workflow);
  const store = await openSqlite(join(folder, 'orrery.db'));
  const hash = createHash('sha256').update(source).digest('hex');
  const { id } = await store.publishWorkflow({
    workflow,
    hash,
    source,
    note: '',
    author: 'seed',
    due: {},
    now,
  });
  await store.close();
  const begun = now - count * STEP;
  const db = new DatabaseSync(join(folder, 'orrery.db'));
  db.exec('BEGIN');
  for (let run = RUN; run < RUN + runs; run++) writeRun(db, run, id, begun, now);
  const task = db.prepare(
    'INSERT INTO task_run (run, task, state, round, since, body) VALUES (?, ?, ?, 1, ?, ?)',
  );
  const middle = Math.floor(count / 2);
  for (let k = 0; k < count; k++) {
    const ran = k <= middle;
    const state = k < middle ? 'success' : ran ? 'failed' : 'skipped';
    const attempt = { state, attempt: 1, failures: k === middle ? 1 : 0, lost: 0, worker: 'w1' };
    const shards = ran ? [k === middle ? { ...attempt, error: 'exit code 3' } : attempt] : [];
    const at = begun + k * STEP;
    const body = JSON.stringify({ state, round: 1, since: at + STEP, shards, ...(ran && { started: at }) });
    for (let run = RUN; run < RUN + runs; run++) task.run(run, k, state, at + STEP, body);
  }
  db.exec('COMMIT');
  db.close();
  return RUN + runs - 1;
}

function writeRun(db: DatabaseSync, id: number, workflow: number, begun: number, now: number): void {
  const fields: RunFields = {
    state: 'failed',
    since: now,
    round: 1,
    roundKind: 'start',
    roundStarted: begun,
    picked: [],
    params: {},
  };
  const request = {
    id,
    project: 'ml',
    priority: 'medium',
    onFailure: 'continue',
    businessTime: begun,
    timezone: 'UTC',
    dryRun: false,
    depth: 0,
    scope: { kind: 'all', tasks: [] },
  };
  db.prepare(
    `INSERT INTO run (id, workflow, version, project, name, kind, trigger_kind, state, priority, request, fields, revision,
       business_time, created_at, started_at, ended_at, standing)
     VALUES (?, ?, 1, 'ml', 'largest', 'normal', 'manual', 'failed', 2, ?, ?, 1, ?, ?, ?, ?, 2)`,
  ).run(id, workflow, JSON.stringify(request), JSON.stringify(fields), begun, begun, begun, now);
}
