/** No-op tasks through the whole engine, with their history, beside queues that run no-op jobs. */
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { aboutPostgres, type Database, databases } from './databases.ts';
import { slots } from './engine.ts';
import { measure, rateRows, ratioRow, type Subject } from './figures.ts';
import { parallel, type Shape, timeRuns } from './load.ts';
import { graphileSettings, timeGraphile } from './peers/graphile-worker.ts';
import { pgBossSettings, timePgBoss } from './peers/pg-boss.ts';

export const title = 'no-op tasks through the whole engine, with full history';
export const about = aboutPostgres;

const TASKS = bySize(20_000, 20);
const ROUNDS = bySize(3, 1);

export async function run(): Promise<Row[]> {
  const [sqlite, postgres] = databases;
  const small = parallel(1);
  const wide = parallel(20);
  const measured = await measure(
    [
      ours(sqlite, small, 'bar 20,000, aim 80,000'),
      ours(sqlite, wide, 'bar 20,000, aim 80,000'),
      ours(postgres, small, 'see the ratios'),
      ours(postgres, wide, 'see the ratios'),
      { what: 'pg-boss', count: TASKS, note: pgBossSettings, time: () => timePgBoss(TASKS) },
      peerGraphile('batched', TASKS),
      peerGraphile('unbatched', TASKS / 4),
    ],
    ROUNDS,
  );
  const [, , pgSmall, pgWide, pgBoss, graphile, unbatched] = measured;
  return [
    ...measured.flatMap((subject) => rateRows(subject, 'tasks/s')),
    ...[pgSmall, pgWide].flatMap((subject) => [
      ratioRow(subject, pgBoss, 'bar 2 x'),
      ratioRow(subject, graphile, 'aim 2 x'),
      ratioRow(subject, unbatched, 'for comparison'),
    ]),
  ];
}

function ours(database: Database, shape: Shape, bars: string): Subject {
  const runs = TASKS / shape.tasks;
  return {
    what: `${database.name}, ${runs.toLocaleString('en-US')} runs of ${shape.name}`,
    count: TASKS,
    note: `${bars}; ${database.settings}; 1 master, 1 worker with ${slots} slots, one process`,
    time: () => timeRuns(database, shape, runs),
  };
}

function peerGraphile(mode: 'batched' | 'unbatched', jobs: number): Subject {
  return {
    what: `graphile-worker ${mode}`,
    count: jobs,
    note: graphileSettings[mode],
    time: () => timeGraphile(mode, jobs),
  };
}
