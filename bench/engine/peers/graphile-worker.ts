/** graphile-worker as its own performance test sets it, and with its defaults, where each job is asked for alone. */
import { Logger, makeWorkerUtils, runOnce } from 'graphile-worker';
import { withDatabase } from '../databases.ts';
import type { Seconds } from '../figures.ts';

const CONCURRENCY = 24;
const BATCH = 500;

const common = { concurrentJobs: CONCURRENCY, maxPoolSize: CONCURRENCY + 1 };
const batched = {
  ...common,
  localQueue: { size: BATCH, refetchDelay: { durationMs: 10 } },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

export const graphileSettings = {
  batched: `add_jobs by ${BATCH}, ${CONCURRENCY} at once, localQueue of ${BATCH}, completeJobBatchDelay 0, as in its own performance test`,
  unbatched: `add_jobs by ${BATCH}, ${CONCURRENCY} at once, no localQueue, completes one by one`,
};

/** Times that many jobs that do nothing. */
export function timeGraphile(mode: 'batched' | 'unbatched', jobs: number): Promise<Seconds> {
  return withDatabase(async (connectionString) => {
    const logger = new Logger(() => () => {});
    const utils = await makeWorkerUtils({ connectionString, logger });
    try {
      await utils.migrate();
      const begin = performance.now();
      for (let left = jobs; left > 0; left -= BATCH) {
        await utils.addJobs(
          Array.from({ length: Math.min(left, BATCH) }, (_, id) => ({ identifier: 'noop', payload: { id } })),
        );
      }
      const inserted = performance.now();
      let done = 0;
      const worker = { ...(mode === 'batched' ? batched : common), connectionString };
      await runOnce({ preset: { worker }, logger, noHandleSignals: true }, { noop: async () => void done++ });
      const end = performance.now();
      if (done !== jobs) throw new Error(`graphile-worker ran ${done} of ${jobs} jobs`);
      return { withSubmit: (end - begin) / 1_000, withoutSubmit: (end - inserted) / 1_000 };
    } finally {
      await utils.release();
    }
  });
}
