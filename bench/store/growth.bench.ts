/** Whether the hot operations stay as quick when tables grow: history behind them, or a queue in front. */
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { Cycle } from './cycle.ts';
import { type BenchStore, benchStores } from './databases.ts';

export const title =
  'take, claim and commit on empty, full and just grown tables (no statistics gathered yet)';

const ROUNDS = bySize(200, 1);
const THOUSAND = bySize(1_000, 10);
const MILLION = THOUSAND * THOUSAND;
/** Runs of the history, and tasks of each: a million task runs. */
const [RUNS, TASKS] = bySize([10_000, 100], [10, 10]);

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const open of benchStores) {
    await using bench = await open();
    const cycle = await Cycle.begin(bench.store);
    const empty = await measure(cycle);
    await bench.exec(history);
    const full = await measure(cycle);
    await bench.exec(queue(THOUSAND, 0));
    const thousand = await measure(cycle);
    await bench.exec(queue(MILLION, THOUSAND));
    const million = await measure(cycle);
    for (const what of Object.keys(empty)) {
      const note = `empty ${empty[what].toFixed(2)}, after 1M task runs ${full[what].toFixed(2)}, 1k queued ${thousand[what].toFixed(2)} ms`;
      rows.push({ what: `${bench.name}: ${what}, 1M queued`, value: million[what], unit: 'ms', note });
    }
    const ratio = million['take of 10'] / thousand['take of 10'];
    rows.push({
      what: `${bench.name}: take with 1M queued : 1k queued`,
      value: ratio,
      unit: 'x',
      note: 'bar 2 x',
    });
  }
  return rows;
}

/** The median of each operation in milliseconds; the queue is as long afterwards as before. */
async function measure(cycle: Cycle): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {};
  const timed = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await act();
    times[what] ??= [];
    times[what].push(performance.now() - start);
    return result;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const runs = await timed('submit and claim 10', () => cycle.start(10));
    await timed('queue 10 by a commit', () => cycle.queue(runs, [0], 1));
    const taken = await timed('take of 10', () => cycle.take(10));
    await timed('end 10 by a commit', () => cycle.finish(taken));
  }
  return Object.fromEntries(
    Object.entries(times).map(([what, list]) => [what, list.sort((a, b) => a - b)[list.length >> 1]]),
  );
}

/** Ended task runs. */
const history = {
  sqlite: historyOf(
    (count, name) =>
      `(WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c LIMIT ${count}) SELECT i FROM c) ${name}`,
  ),
  postgres: historyOf((count, name) => `generate_series(0, ${count - 1}) AS ${name}(i)`),
};

function historyOf(series: (count: number, name: string) => string): string {
  const id = '-1 - r.i';
  return `
    INSERT INTO run (id, workflow, version, project, name, kind, trigger_kind, state, priority, request, fields, revision,
        business_time, created_at, started_at, ended_at, standing)
      SELECT ${id}, 1, 1, 'default', 'bench', 'normal', 'api', 'success', 2, '{}', '{}', 2, 0, 1, 1, 2, 1 FROM ${series(RUNS, 'r')};
    INSERT INTO task_run (run, task, state, round, since, body)
      SELECT ${id}, t.i, 'success', 1, 1, '{"shards":[]}' FROM ${series(RUNS, 'r')}, ${series(TASKS, 't')};
    INSERT INTO attempt (run, task, shard, number, state, worker, late, started_at, ended_at, exit_code)
      SELECT ${id}, t.i, -1, 1, 'success', 'w', 0, 1, 2, 0 FROM ${series(RUNS, 'r')}, ${series(TASKS, 't')};`;
}

/** Attempts in the queue of the group the bench takes from, behind those it queues itself. */
function queue(count: number, from: number): BenchText {
  const insert = (series: string) => `
    INSERT INTO ready (worker_group, run_priority, run, task_priority, task, shard, number, limited, payload, queued_at)
      SELECT 'default', 3, -1, 2, ${from} + i, -1, 1, 0, '{"task":"a","type":"shell"}', 1 FROM ${series}`;
  return {
    sqlite: insert(
      `(WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c LIMIT ${count}) SELECT i FROM c)`,
    ),
    postgres: insert(`generate_series(0, ${count - 1}) AS s(i)`),
  };
}

type BenchText = Parameters<BenchStore['exec']>[0];
