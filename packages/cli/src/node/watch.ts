/** What looks on while a process works: metrics, and traces where a receiver is named. */
import { Metrics } from '@orrery/api';
import type { Log } from '@orrery/master';
import type { Store } from '@orrery/store';
import type { Worker } from '@orrery/worker';
import { startTracing, type Tracing } from '../tracing/tracing.ts';
import { machineClock } from './machine-clock.ts';

/** The instruments of one process. */
export interface Watch {
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  /** The same store, with what goes through it counted and traced. */
  store(store: Store): Store;
  /** The slots of this worker are told where there is no store to ask. */
  worker(worker: Worker): void;
  stop(): Promise<void>;
}

/** Starts it. */
export async function startWatch(log: Log): Promise<Watch> {
  let own: Worker | undefined;
  const metrics = new Metrics({
    clock: machineClock,
    worker: () => ({ slots: own?.config.slots ?? 0, used: own?.status().held.length ?? 0 }),
  });
  const tracing = await startTracing(process.env, (text) => log('warn', text));
  return {
    metrics,
    tracing,
    store: (store) => metrics.watchStore(tracing?.watchStore(store) ?? store),
    worker: (worker) => {
      own = worker;
    },
    stop: async () => tracing?.stop(),
  };
}
