/**
 * The worker of a process. It connects to the master of its own process without a network, to others over it.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { taskPlugins } from '@orrery/tasks';
import { usableKinds } from '@orrery/tasks/drivers';
import { addressText, isLoopback, parseAddress } from '@orrery/wire/address';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { type LogBook, startWorker, type Worker, workerDefaults } from '@orrery/worker';
import { machineClock } from './machine-clock.ts';
import { startLoadMeter } from './machine-load.ts';
import type { MasterRole } from './master-role.ts';
import { announced, type NodeOptions } from './options.ts';
import type { Watch } from './watch.ts';

/** Starts it; `own` is the master of this process. */
export async function startWorkerRole(
  options: NodeOptions,
  own: MasterRole | undefined,
  { tracing }: Pick<Watch, 'tracing'>,
): Promise<Worker> {
  const {
    name,
    folder,
    groups,
    slots,
    cores,
    memory,
    codeFolder,
    plugins,
    httpAllow = workerDefaults().httpAllow,
    taskEnvironment,
    stopGrace,
    logRetention,
    logCount,
    dev,
    network,
    logListen,
    log,
    loadLimits,
    isolation,
    tenants,
    taskUser,
    taskLimits,
    work,
  } = options;
  // On an embedded store no other process has a master: then the network is not even loaded.
  const alone =
    own !== undefined && options.database === undefined && options.join.length === 0 && !logListen;
  const afar = alone ? undefined : await import('@orrery/wire/network');
  const masters = [...(own ? [own.address] : []), ...options.join];
  const connect = (address: string) => {
    if (afar && address !== own?.address) return afar.connectMaster(address, network);
    const [mine, its] = channelPair<WorkerFrame, MasterFrame>((delivery) => queueMicrotask(delivery));
    own?.accept(its);
    return mine;
  };
  const logsAt =
    afar &&
    logListen &&
    (async (logs: LogBook) => {
      const server = await afar.serveLogs(logListen, logSecurity(network, afar), logs);
      const address = announced(server.address, options, hostname());
      if (isLoopback(address.host) && options.join.some((master) => !isLoopback(parseAddress(master).host)))
        log('warn', `only this machine can read the logs at ${addressText(address)}; see --log-listen`);
      return { address: addressText(address), stop: () => server.stop() };
    });
  const meter = startLoadMeter();
  const worker = await startWorker(
    {
      name,
      masters,
      folder: join(folder, 'worker'),
      logs: join(folder, 'logs'),
      codeFolder,
      bundled: taskPlugins({ codeFolder, httpAllow, cacheFolder: join(folder, 'worker', 'cache') }),
      plugins,
      httpAllow,
      taskEnvironment,
      groups,
      slots,
      cores,
      memory,
      stopGrace,
      logRetention,
      logCount,
      dev,
      isolation,
      tenants,
      taskUser,
      taskLimits,
      work,
      loadLimits: loadLimits && { cpu: loadLimits.cpu, memory: loadLimits.memory },
    },
    {
      clock: machineClock,
      connect,
      log,
      measure: meter.measure,
      trace: tracing?.attempts,
      serveLogs: logsAt,
    },
  );
  log('info', `connections that tasks can use: ${usableKinds(codeFolder)}`);
  void worker.ended.then(() => meter.stop());
  return worker;
}

/** A worker that joined by invitation does not know the join token: the api shows it what follows from the invitation. */
function logSecurity(
  network: NodeOptions['network'],
  { logToken, tokenHash }: Pick<typeof import('@orrery/wire/network'), 'logToken' | 'tokenHash'>,
): NodeOptions['network'] {
  const { token, accepted = token === undefined ? [] : [token] } = network;
  return { ...network, accepted: [...accepted, ...accepted.map((each) => logToken(tokenHash(each)))] };
}
