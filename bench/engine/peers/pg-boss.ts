/** pg-boss as its documentation has it for throughput: inserts, fetches and completes in batches. */
import { PgBoss } from 'pg-boss';
import { withDatabase } from '../databases.ts';
import { type Lap, startLap, type Timing } from '../figures.ts';

const BATCH = 500;
const CONSUMERS = 4;
const queue = 'noop';

export const pgBossSettings = `insert, fetch and complete by ${BATCH}, ${CONSUMERS} consumers, no supervision meanwhile`;

/** Times that many jobs that do nothing. */
export function timePgBoss(jobs: number): Promise<Timing> {
  return withBoss(async (boss) => {
    const endAll = startLap();
    for (let left = jobs; left > 0; left -= BATCH) {
      await boss.insert(
        queue,
        Array.from({ length: Math.min(left, BATCH) }, (_, id) => ({ data: { id } })),
      );
    }
    const endWork = startLap();
    const done = await Promise.all(Array.from({ length: CONSUMERS }, () => consume(boss)));
    const timing = { withSubmit: endAll(), withoutSubmit: endWork() };
    const sum = done.reduce((a, b) => a + b, 0);
    if (sum !== jobs) throw new Error(`pg-boss completed ${sum} of ${jobs} jobs`);
    return timing;
  });
}

/** Times single sends without a consumer, `atOnce` at a time. */
export function timePgBossSends(jobs: number, atOnce: number): Promise<Lap> {
  return withBoss(async (boss) => {
    const endLap = startLap();
    let left = jobs;
    const follow = async (): Promise<void> => {
      while (left-- > 0) await boss.send(queue, { id: left });
    };
    await Promise.all(Array.from({ length: atOnce }, follow));
    return endLap();
  });
}

function withBoss<T>(work: (boss: PgBoss) => Promise<T>): Promise<T> {
  return withDatabase(async (url) => {
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
    let stopping = false;
    boss.on('error', (error) => {
      if (!stopping) console.error(`pg-boss: ${error.message}`);
    });
    await boss.start();
    try {
      await boss.createQueue(queue);
      return await work(boss);
    } finally {
      stopping = true;
      await boss.stop();
    }
  });
}

async function consume(boss: PgBoss): Promise<number> {
  let done = 0;
  for (;;) {
    const jobs = await boss.fetch(queue, { batchSize: BATCH });
    if (jobs.length === 0) return done;
    await boss.complete(
      queue,
      jobs.map(({ id }) => id),
    );
    done += jobs.length;
  }
}
