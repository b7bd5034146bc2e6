/** A million ended runs of a thousand workflows, written by SQL: what an installation has after a year. */
import { parseWorkflowFile } from '@orrery/core/model';
import type { Store } from '@orrery/store';
import { bySize } from '../size.ts';
import type { BenchStore } from '../store/databases.ts';

/** Runs and workflows that are there. */
export const RUNS = bySize(1_000_000, 100);
export const WORKFLOWS = bySize(1_000, 10);

/** Task runs exist of the last runs only; a list looks at no others. */
const WITH_TASKS = bySize(10_000, 10);
const TASKS = 3;

/** What was written: ids for requests. */
export interface Million {
  readonly firstRun: number;
  readonly lastRun: number;
  /** The name and id of a workflow. */
  readonly workflow: { readonly name: string; readonly id: number };
}

/** Writes it; ids of runs end where new ones begin. */
export async function writeMillion({ store, exec }: BenchStore, now: number): Promise<Million> {
  const ids: number[] = [];
  for (let k = 0; k < WORKFLOWS; k++) ids.push(await publish(store, k, now));
  const [first] = ids;
  const step = ids[1] - ids[0];
  const firstRun = 10_000_000;
  const lastRun = firstRun + RUNS - 1;
  await exec({
    sqlite: statements(sqliteSeries, { first, step, firstRun, now }),
    postgres: statements(postgresSeries, { first, step, firstRun, now }),
  });
  await exec({
    sqlite: `UPDATE numbers SET value = ${lastRun}`,
    postgres: `SELECT setval('numbers', ${lastRun})`,
  });
  // What the server does by itself soon after.
  await exec({
    sqlite: 'ANALYZE',
    postgres: 'VACUUM ANALYZE run, task_run, workflow, workflow_version, schedule',
  });
  return { firstRun, lastRun, workflow: { name: nameOf(WORKFLOWS / 2), id: ids[WORKFLOWS / 2] } };
}

function nameOf(k: number): string {
  return `flow-${String(k).padStart(4, '0')}`;
}

async function publish(store: Store, k: number, now: number): Promise<number> {
  const text = `name: ${nameOf(k)}
schedule: 0 ${k % 24} * * *
tasks: [{name: a, type: shell}, {name: b, type: shell, needs: a}, {name: c, type: shell, needs: b}]
`;
  const [workflow] = parseWorkflowFile(text).workflows;
  const { id } = await store.publishWorkflow({
    workflow,
    hash: String(k),
    source: text,
    note: '',
    author: 'bench',
    due: { main: now + 3_600_000 },
    now,
  });
  return id;
}

const sqliteSeries = (count: number) =>
  `(WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c LIMIT ${count}) SELECT i FROM c) r`;
const postgresSeries = (count: number) => `generate_series(0::int8, ${count - 1}) AS r(i)`;

function statements(
  series: (count: number) => string,
  { first, step, firstRun, now }: { first: number; step: number; firstRun: number; now: number },
): string {
  const state = `CASE WHEN r.i % 20 = 0 THEN 'failed' ELSE 'success' END`;
  const standing = `CASE WHEN r.i % 20 = 0 THEN 2 ELSE 1 END`;
  const at = `${now} - 31536000000 + r.i * 31536`;
  const name = `'flow-' || substr('0000' || (r.i % ${WORKFLOWS}), -4)`;
  const right = `'flow-' || right('0000' || (r.i % ${WORKFLOWS}), 4)`;
  const fields = `'{"state":"' || ${state} || '","since":' || (${at}) || ',"round":1,"roundKind":"start","roundStarted":' || (${at}) || ',"picked":[],"params":{}}'`;
  const request = `'{"project":"default","priority":"medium","onFailure":"continue","businessTime":0,"timezone":"UTC","dryRun":false,"depth":0,"scope":{"kind":"all","tasks":[]}}'`;
  const offset = RUNS - WITH_TASKS;
  return `
    INSERT INTO run (id, workflow, version, project, name, kind, trigger_kind, state, priority, request, fields, revision,
        business_time, created_at, started_at, ended_at, standing)
      SELECT ${firstRun} + r.i, ${first} + ${step} * (r.i % ${WORKFLOWS}), 1, 'default',
        ${series === sqliteSeries ? name : right}, 'normal', 'tick', ${state}, 2, ${request}, ${fields}, 2,
        ${at}, ${at}, ${at}, ${at} + 60000, ${standing} FROM ${series(RUNS)};
    INSERT INTO task_run (run, task, state, round, since, body)
      SELECT ${firstRun} + ${offset} + r.i / ${TASKS}, r.i % ${TASKS}, 'success', 1, ${now},
        '{"shards":[{"state":"success","attempt":1,"failures":0,"lost":0}]}' FROM ${series(WITH_TASKS * TASKS)};`;
}
