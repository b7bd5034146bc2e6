/** What a worker's take costs when a thousand attempts are queued, and when a million are. */
import type { Row } from '../run.ts';
import { aboutPostgres, type Database, databases } from './databases.ts';
import { median, quantile } from './figures.ts';

export const title = 'a take of five attempts from short and long queues';
export const about = aboutPostgres;

const SHORT = 1_000;
const LONG = 1_000_000;
const TAKES = 190;
const ROOM = 5;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const database of databases) {
    const short = await takes(database, SHORT);
    const long = await takes(database, LONG);
    rows.push(row(database, SHORT, short), row(database, LONG, long), {
      what: `${database.name}, long : short queue`,
      value: median(long) / median(short),
      unit: 'x',
      note: 'medians; bar 2, aim 1.1',
    });
  }
  return rows;
}

function row(database: Database, queued: number, milliseconds: readonly number[]): Row {
  return {
    what: `${database.name}, ${queued.toLocaleString('en-US')} queued`,
    value: median(milliseconds),
    unit: 'ms',
    note: `median of ${TAKES}, p99 ${quantile(milliseconds, 0.99).toFixed(2)}; just filled, no statistics yet; ${database.settings}`,
  };
}

function takes(database: Database, queued: number): Promise<number[]> {
  return database.withStore(async (store) => {
    const now = Date.now();
    const { epoch: node } = await store.joinNode({
      id: 'bench',
      roles: ['master'],
      address: '',
      info: {},
      now,
    });
    const self = { node: 'bench', epoch: node };
    const groups = ['default'];
    const { epoch } = await store.joinWorker({ self, worker: 'w', address: '', slots: LONG, groups, now });
    const taken: number[] = [];
    for (let number = 1; number <= TAKES; number++) {
      const begin = performance.now();
      const { assignments } = await store.take({ self, worker: 'w', epoch, number, room: ROOM, groups, now });
      taken.push(performance.now() - begin);
      if (assignments.length !== ROOM) throw new Error(`take ${number} gave ${assignments.length}`);
    }
    return taken;
  }, fill(queued));
}

/** Attempts of runs of twenty tasks, in the order of the queue. */
function fill(queued: number): string {
  return `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${queued - 1})
    INSERT INTO ready (worker_group, run_priority, run, task_priority, task, shard, number, limited, payload, queued_at)
    SELECT 'default', 2, 1 + i / 20, 2, i % 20, -1, 1, 0, '{"type":"noop","with":{},"params":{}}', 0 FROM n`;
}
