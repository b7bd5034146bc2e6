/** What looks on while a process works: metrics, and traces where a receiver is named. */

import { Metrics } from '@orrery/api';
import type { Log } from '@orrery/core/log';
import type { Store } from '@orrery/store';
import type { Worker } from '@orrery/worker';
import { startTracing, type Tracing } from '../tracing/tracing.ts';
import { machineClock } from './machine-clock.ts';
import type { MasterRole } from './master-role.ts';

/** The instruments of one process. */
export interface Watch {
  readonly metrics: Metrics;
  readonly tracing: Tracing | undefined;
  /** The same store, with what goes through it counted and traced. */
  store(store: Store): Store;
  /** Reports the slots of this worker if there is no store to read them from. */
  worker(worker: Worker): void;
  /** Reports the registry session of this master. */
  master(master: Pick<MasterRole, 'isRegistryGood'>): void;
  stop(): Promise<void>;
}

/** Starts it. */
export async function startWatch(log: Log): Promise<Watch> {
  let own: Worker | undefined;
  let ownMaster: Pick<MasterRole, 'isRegistryGood'> | undefined;
  const metrics = new Metrics({
    clock: machineClock,
    worker: () => ({ slots: own?.config.slots ?? 0, used: own?.status().held.length ?? 0 }),
    registry: () => ownMaster?.isRegistryGood(),
  });
  const tracing = await startTracing(process.env, (text) => log('warn', text));
  return {
    metrics,
    tracing,
    store: (store) => metrics.watchStore(tracing?.watchStore(store) ?? store),
    worker: (worker) => {
      own = worker;
    },
    master: (master) => {
      ownMaster = master;
    },
    stop: async () => tracing?.stop(),
  };
}
