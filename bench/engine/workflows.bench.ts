/** Durable workflows of three tasks in a row, many at once, and one long chain alone. */
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { aboutPostgres, type Database, databases } from './databases.ts';
import { slots } from './engine.ts';
import { measure, median, range, rateRows, ratioRow, type Subject, type Timing } from './figures.ts';
import { chain, timeAlone, timeRuns } from './load.ts';
import { dbosSettings, timeDbos } from './peers/dbos.ts';

export const title = 'workflows of no-op tasks that follow each other';
export const about = aboutPostgres;

const WORKFLOWS = bySize(5_000, 5);
const DBOS_WORKFLOWS = bySize(1_500, 5);
const ROUNDS = bySize(3, 1);
const CHAINS = bySize(10, 1);

export async function run(): Promise<Row[]> {
  const [sqlite, postgres] = databases;
  const measured = await measure(
    [
      threeTasks(sqlite, 'no bar'),
      threeTasks(postgres, 'see the ratio'),
      { what: 'DBOS, three steps', count: DBOS_WORKFLOWS, note: dbosSettings, time: timeAlike },
    ],
    ROUNDS,
  );
  const [, ours, dbos] = measured;
  return [
    ...measured.flatMap((subject) => rateRows(subject, 'workflows/s')),
    ratioRow(ours, dbos, 'bar 5 x, aim 25 x'),
    await longChain(sqlite),
    await longChain(postgres),
  ];
}

function threeTasks(database: Database, bars: string): Subject {
  return {
    what: `${database.name}, chain of 3`,
    count: WORKFLOWS,
    note: `${bars}; ${database.settings}; ${WORKFLOWS.toLocaleString('en-US')} runs, 1 master, 1 worker with ${slots} slots, one process`,
    time: () => timeRuns(database, chain(3), WORKFLOWS),
  };
}

/** DBOS starts a workflow with the row that submits it: there is nothing to leave out. */
async function timeAlike(): Promise<Timing> {
  const lap = await timeDbos(DBOS_WORKFLOWS);
  return { withSubmit: lap, withoutSubmit: lap };
}

/** One run of 40 tasks at an idle engine, from submit to the commit of its last task. */
async function longChain(database: Database): Promise<Row> {
  const seconds = await timeAlone(database, chain(40), CHAINS);
  return {
    what: `${database.name}, one chain of 40, end to end`,
    value: median(seconds),
    unit: 's',
    note: `${range(seconds)}; bar 0.4, aim 0.1; ${database.settings}`,
  };
}
