/**
 * A process of the cluster: the roles it was given, put together. `orrery dev` is one with all of them and no network,
 * `orrery server` one with any. What it starts it stops, last started first.
 */
import { resolve } from 'node:path';
import { clusterParts } from '@orrery/api';
import { StoreClock } from '@orrery/cluster';
import { withFields } from '@orrery/core/log';
import { startApiRole } from './api-role.ts';
import { openDataFolder } from './data-folder.ts';
import { beginGeneration } from './generation.ts';
import { machineClock } from './machine-clock.ts';
import { startMaster } from './master-role.ts';
import { serveMetrics } from './metrics-server.ts';
import { openStore, throughOutages } from './open-store.ts';
import type { NodeOptions, Role } from './options.ts';
import { ownParts } from './own-health.ts';
import { startAll } from './started.ts';
import { startWatch } from './watch.ts';
import { startWorkerRole } from './worker-role.ts';

/** A running process. */
export interface Node {
  /** Of the API, where it has one. */
  readonly url: string | undefined;
  /** Each role in a few words: name and address. */
  readonly about: readonly string[];
  /** Settles when it can do its work: its worker, where it has one, has joined. */
  readonly ready: Promise<void>;
  /** Settles with the reason when it can no longer do its work. */
  readonly over: Promise<string>;
  stop(): Promise<void>;
}

/** Starts a process; what was started is stopped again if the rest fails. */
export function startNode(given: NodeOptions): Promise<Node> {
  const log = withFields(given.log, { node: given.name });
  const options = { ...given, folder: resolve(given.folder), log };
  const has = (role: Role): boolean => options.roles.includes(role);
  return startAll(async (started) => {
    openDataFolder(options.folder, options.log);
    const about: string[] = [];
    const over: Promise<string>[] = [];
    const watch = await startWatch(options.log);
    started.push(() => watch.stop());
    const opened = has('master') || has('api') ? await openStore(options) : undefined;
    if (opened) {
      started.push(() => opened.close());
      await throughOutages(options.log, () => beginGeneration(opened, options.folder));
    }
    const store = opened && watch.store(opened);
    const clock = new StoreClock(machineClock, { maxSkew: options.maxClockSkew });
    const master = store && has('master') ? await startMaster(store, clock, options) : undefined;
    if (master) {
      watch.master(master);
      started.push(() => master.stop());
      over.push(master.over);
      about.push(`master ${options.name} at ${master.address}`);
    }
    const worker = has('worker') ? await startWorkerRole(options, master, watch) : undefined;
    if (worker) {
      watch.worker(worker);
      const { name, slots, groups } = worker.config;
      started.push(() => worker.stop());
      over.push(worker.ended);
      about.push(`worker ${name} with ${slots} slots for ${groups.join(', ')}`);
    }
    const api =
      store && has('api') ? await startApiRole(options, { store, clock, master, worker, watch }) : undefined;
    if (api) {
      started.push(() => api.stop());
      about.push(`api at ${api.url}`);
    }
    if (!api && options.metricsListen) {
      const server = await serveMetrics(options.metricsListen, watch.metrics, async () => [
        ...(store
          ? await clusterParts({
              store,
              clock: machineClock,
              node: options.name,
              lastError: () => watch.metrics.lastError,
            })
          : []),
        ...(await ownParts(options.folder, worker)),
      ]);
      started.push(() => server.stop());
      about.push(`metrics at ${server.url}`);
    }
    const ready = worker?.joined ?? Promise.resolve();
    return { url: api?.url, about, ready, over: Promise.race(over) };
  });
}
