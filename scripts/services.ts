/**
 * `npm run services -- install|start|stop|status [NAME…]`: the servers that tests run against, each on a
 * loopback port of its own, with its data and their addresses under `.services/`. `--fast` gives up
 * durability for speed; `--folder` works on another folder.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { etcd } from './services/etcd.ts';
import { install } from './services/install.ts';
import { startService, stopService } from './services/lifecycle.ts';
import { postgres } from './services/postgres.ts';
import { readRecords, type ServiceRecords } from './services/records.ts';
import type { Program, Service } from './services/service.ts';
import {
  chromium,
  curl,
  iproute,
  libfaketime,
  mariadb,
  maven,
  openssl,
  pgbouncer,
  podman,
  promtool,
  python,
  snmptrapd,
  sshd,
} from './services/tools.ts';
import { zookeeper } from './services/zookeeper.ts';

const SERVICES: readonly Service[] = [postgres, zookeeper, etcd];
/** Everything that tests call and a bare machine lacks. */
export const PROGRAMS: readonly Program[] = [
  ...SERVICES,
  chromium,
  curl,
  openssl,
  pgbouncer,
  promtool,
  python,
  snmptrapd,
];
/** What only the full tier of the tests calls. */
export const FULL_PROGRAMS: readonly Program[] = [
  ...PROGRAMS,
  maven,
  libfaketime,
  iproute,
  sshd,
  mariadb,
  podman,
];
const USAGE = 'usage: npm run services -- install|start|stop|status [--fast] [--folder PATH] [NAME…]';

/** Where the services of this working copy live. */
const FOLDER = join(import.meta.dirname, '..', '.services');

/** The services that run now, by name: what a test reads to find them. */
export function readServices(folder = FOLDER): ServiceRecords {
  return readRecords(folder);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error(`services: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { fast: { type: 'boolean', default: false }, folder: { type: 'string', default: FOLDER } },
  });
  const folder = resolve(values.folder);
  const [command, ...names] = positionals;
  switch (command) {
    case 'install':
      await install(pick(names.length > 0 ? FULL_PROGRAMS : PROGRAMS, names));
      return;
    case 'start':
      for (const service of pick(SERVICES, names)) {
        const { url, pid, reused } = await startService(service, folder, values.fast);
        console.log(`${service.name}: ${url} (process ${pid}${reused ? ', was running' : ''})`);
      }
      return;
    case 'stop':
      for (const service of pick(SERVICES, names)) {
        const record = await stopService(service, folder);
        console.log(`${service.name}: ${record ? `stopped process ${record.pid}` : 'was not running'}`);
      }
      return;
    case 'status': {
      const running = readServices(folder);
      for (const program of pick(FULL_PROGRAMS, names)) {
        const record = running[program.name];
        const installed = program.find() ?? 'not installed';
        console.log(
          `${program.name}: ${record ? `${record.url} (process ${record.pid}, since ${record.started})` : installed}`,
        );
      }
      return;
    }
    default:
      throw new Error(USAGE);
  }
}

/** Those named, all when none is; an unknown name is refused. */
function pick<T extends Program>(all: readonly T[], names: readonly string[]): readonly T[] {
  if (names.length === 0) return all;
  return names.map((name) => {
    const found = all.find((program) => program.name === name);
    if (!found) throw new Error(`no ${name} here; there are: ${all.map(({ name }) => name).join(', ')}`);
    return found;
  });
}
