/** Opens registries for operators when somebody first asks, and again after a session was lost. */
import { randomUUID } from 'node:crypto';
import { type JobOperator, NativeOperator } from '@orrery/elastic/board';
import { isRegistryError, openRegistry, type Registry, RegistryError } from '@orrery/registry';
import { machineClock } from '../node/machine-clock.ts';
import type { JobCenter } from './job-center.ts';

/** A namespace that can be asked. */
interface OpenCenter {
  readonly name: string;
  readonly operator: JobOperator;
  close(): Promise<void>;
}

const SESSION_TIMEOUT = 10_000;
/** Someone waits for the answer. */
const CONNECT_TIMEOUT = 5_000;

export function openCenters(
  centers: readonly JobCenter[],
  log: (level: 'info' | 'warn', text: string) => void,
): readonly OpenCenter[] {
  return centers.map(({ name, url, namespace }) => {
    let current: Promise<Registry> | undefined;
    const registry = async (): Promise<Registry> => {
      if (current && (await current.catch(() => undefined))?.session.state === 'lost') current = undefined;
      current ??= open(url, log);
      const opening = current;
      return opening.catch((error) => {
        if (current === opening) current = undefined;
        throw error;
      });
    };
    return {
      name,
      operator: new NativeOperator(namespace, { registry, id: randomUUID }),
      close: async () => (await current?.catch(() => undefined))?.close(),
    };
  });
}

async function open(url: string, log: (level: 'info' | 'warn', text: string) => void): Promise<Registry> {
  try {
    return await openRegistry(url, {
      sessionTimeout: SESSION_TIMEOUT,
      connectTimeout: CONNECT_TIMEOUT,
      name: 'orrery operator',
      clock: machineClock,
      log,
    });
  } catch (error) {
    if (isRegistryError(error)) throw error;
    throw new RegistryError('away', { detail: (error as Error).message, cause: error });
  }
}
