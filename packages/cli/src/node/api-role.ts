/**
 * The API of a process. It hints the master of its own process at once, and other masters over the network.
 */

import { join } from 'node:path';
import { type RunningApi, startApi } from '@orrery/api';
import { Membership, type StoreClock } from '@orrery/cluster';
import type { Log } from '@orrery/core/log';
import { masterDefaults } from '@orrery/master';
import type { Store } from '@orrery/store';
import { taskPlugins } from '@orrery/tasks';
import { checkConnection, listKinds } from '@orrery/tasks/kinds';
import type { Hint } from '@orrery/wire/frames';
import { taskRegistry, taskTypes, type Worker } from '@orrery/worker';
import about from '../../package.json' with { type: 'json' };
import { openCenters } from '../jobs/open-centers.ts';
import { logSource } from './logs.ts';
import type { MasterRole } from './master-role.ts';
import { throughOutages } from './open-store.ts';
import type { NodeOptions } from './options.ts';
import { ownParts } from './own-health.ts';
import { peerHints } from './peer-hints.ts';
import { startAll } from './started.ts';
import type { Watch } from './watch.ts';

/** What else the process has. */
interface Beside {
  readonly store: Store;
  /** Measured by the beats of this process. */
  readonly clock: StoreClock;
  readonly master: MasterRole | undefined;
  readonly worker: Worker | undefined;
  readonly watch: Watch;
}

/** Starts it. In a process without a master it has a row of its own among the nodes. */
export function startApiRole(
  options: NodeOptions,
  { store, clock, master, worker, watch }: Beside,
): Promise<RunningApi> {
  const { name, network, host, port, token, basePath, console, config, readSecret, maxBacklog, log } =
    options;
  const { trustedProxy, auditSyslog } = options;
  const { sessionTimeout = masterDefaults.sessionTimeout } = options;
  const tellPeers = peerHints(store, network, log, master?.address);
  const tell = (hint: Hint): void => {
    master?.hint(hint);
    tellPeers?.(hint);
  };
  return startAll(async (started) => {
    const types =
      worker?.taskTypes ?? taskTypes(await taskRegistry({ ...options, bundled: described(options) }));
    const centers = openCenters(options.jobs ?? [], log);
    started.push(async () => {
      for (const center of centers) await center.close();
    });
    const api = await startApi(
      {
        store,
        clock,
        hints: {
          commandsQueued: () => tell({ inboxes: true }),
          inboxTold: () => tell({ inboxes: true }),
          bulkMade: () => tell({ bulks: true }),
          queueFilled: () => tell({ queue: true }),
          schedulesChanged: () => tell({ schedules: true }),
        },
        logs: logSource(store, network, worker),
        taskTypes: () => types.map((type) => ({ ...type, schema: type.schema as object })),
        connectionKinds: { list: listKinds, check: checkConnection },
        version: about.version,
        token,
        basePath,
        trustedProxy,
        auditSyslog,
        log,
        console,
        config,
        readSecret,
        maxBacklog,
        jobs: centers,
        metrics: watch.metrics,
        health: {
          node: name,
          lastError: () => watch.metrics.lastError,
          own: () => ownParts(options.folder, worker),
        },
        tracing: watch.tracing?.api,
        onDefect: (err, request) =>
          log('error', `request ${request} failed: ${(err as Error).message ?? err}`, { request, err }),
      },
      { host, port },
    );
    started.push(() => api.stop());
    if (!master) {
      const node = { id: name, address: api.url, sessionTimeout };
      const membership = await throughOutages(log, () => joinAsApi(store, clock, node, log));
      started.push(() => membership.stop());
    }
    return { url: api.url };
  });
}

/** The bundled task types of a process that only tells what they are. */
function described({ codeFolder, folder }: NodeOptions) {
  return taskPlugins({ codeFolder, cacheFolder: join(folder, 'cache') });
}

/** The row of an API without a master. It joins again when it was taken for gone: it holds nothing. */
async function joinAsApi(
  store: Store,
  clock: StoreClock,
  node: { readonly id: string; readonly address: string; readonly sessionTimeout: number },
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const { beatEvery } = masterDefaults;
  const membership = await Membership.join(
    { ...node, roles: ['api'], info: {}, beatEvery, rejoins: true },
    { clock, store, log },
  );
  await membership.begin({});
  return {
    async stop() {
      membership.end('stopped');
      await membership.leave();
    },
  };
}
