/** The registry of a process, by its settings. */

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PlanStrategy, RegistryPort } from '@orrery/cluster';
import type { Log } from '@orrery/core/log';
import { rangeStrategies, type SizeRule } from '@orrery/core/shard';
import { openRegistry } from '@orrery/registry';
import { machineClock } from './machine-clock.ts';
import type { NodeOptions } from './options.ts';

/** Undefined where the beat in the database judges. `exit` hears that the process is to end. */
export async function registryPort(
  { registry, database, name, cluster = 'main', onRegistryLoss = 'pause', ...rest }: NodeOptions,
  exit: (reason: string) => void,
): Promise<RegistryPort | undefined> {
  const url = registry ?? database;
  if (url === undefined || url === 'none') return undefined;
  const { strategy = 'range', registryTimeout: sessionTimeout, codeFolder, weight, log } = rest;
  const shown = `orrery ${name}`;
  return {
    cluster,
    onLoss: onRegistryLoss,
    strategy: await strategyOf(strategy, codeFolder, log),
    weight,
    exit,
    open: () => openRegistry(url, { name: shown, sessionTimeout, clock: machineClock, log }),
  };
}

/** A built-in strategy, or the rule that a package exports as `sizes`; undefined where there is none. */
async function strategyOf(name: string, folder: string, log: Log): Promise<PlanStrategy | undefined> {
  if (name === 'consistent-hash') return name;
  const builtIn = Object.keys(rangeStrategies).find((each) => each === name);
  if (builtIn) return builtIn as keyof typeof rangeStrategies;
  try {
    const { sizes } = (await import(pathToFileURL(entryOf(name, folder)).href)) as { sizes?: SizeRule };
    if (typeof sizes === 'function') return { name, sizes };
    throw new Error('it exports no function "sizes"');
  } catch (error) {
    log(
      'error',
      `strategy "${name}" cannot be used, so this master does not stand for election: ${(error as Error).message}`,
    );
    return undefined;
  }
}

/** Where a package is, as seen from a folder; a path begins with a dot or a slash. */
function entryOf(name: string, folder: string): string {
  return createRequire(join(resolve(folder), 'package.json')).resolve(name);
}
