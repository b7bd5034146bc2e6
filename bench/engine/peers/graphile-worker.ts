/** graphile-worker as its own performance test sets it, and with its defaults, where each job is asked for alone. */
import { Logger, makeWorkerUtils, runOnce, type WorkerUtils } from 'graphile-worker';
import pg from 'pg';
import { withDatabase } from '../databases.ts';
import { type Lap, startLap, type Timing } from '../figures.ts';

const CONCURRENCY = 24;
const BATCH = 500;

const unbatched = { concurrentJobs: CONCURRENCY, maxPoolSize: CONCURRENCY + 1 };
const batched = {
  ...unbatched,
  localQueue: { size: BATCH, refetchDelay: { durationMs: 10 } },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

export const graphileSettings = {
  batched: `add_jobs by ${BATCH}, ${CONCURRENCY} at once, localQueue of ${BATCH}, completeJobBatchDelay 0, as in its own performance test`,
  unbatched: `add_jobs by ${BATCH}, ${CONCURRENCY} at once, no localQueue, completes one by one`,
};

/** Times that many jobs that do nothing. */
export function timeGraphile(mode: 'batched' | 'unbatched', jobs: number): Promise<Timing> {
  return withUtils(async (utils, pgPool) => {
    const endAll = startLap();
    for (let left = jobs; left > 0; left -= BATCH) {
      await utils.addJobs(
        Array.from({ length: Math.min(left, BATCH) }, (_, id) => ({ identifier: 'noop', payload: { id } })),
      );
    }
    const endWork = startLap();
    let done = 0;
    const worker = mode === 'batched' ? batched : unbatched;
    await runOnce(
      { pgPool, preset: { worker }, logger, noHandleSignals: true },
      { noop: async () => void done++ },
    );
    const timing = { withSubmit: endAll(), withoutSubmit: endWork() };
    if (done !== jobs) throw new Error(`graphile-worker ran ${done} of ${jobs} jobs`);
    return timing;
  });
}

/** Times single adds without a consumer, `atOnce` at a time. */
export function timeGraphileAdds(jobs: number, atOnce: number): Promise<Lap> {
  return withUtils(async (utils) => {
    const endLap = startLap();
    let left = jobs;
    const follow = async (): Promise<void> => {
      while (left-- > 0) await utils.addJob('noop', { id: left });
    };
    await Promise.all(Array.from({ length: atOnce }, follow));
    return endLap();
  });
}

const logger = new Logger(() => () => {});

function withUtils<T>(work: (utils: WorkerUtils, pool: pg.Pool) => Promise<T>): Promise<T> {
  return withDatabase(async (connectionString) => {
    const pgPool = new pg.Pool({ connectionString, max: CONCURRENCY + 1 });
    pgPool.on('error', () => {});
    pgPool.on('connect', (client) => client.on('error', () => {}));
    const utils = await makeWorkerUtils({ pgPool, logger });
    try {
      await utils.migrate();
      return await work(utils, pgPool);
    } finally {
      await utils.release();
      await pgPool.end();
    }
  });
}
