/** Opens the operator for a registry url on first use, and again after a lost session. */
import { isRegistryError, kindOf, openRegistry, RegistryError, type RegistryOptions } from '@orrery/registry';
import { zooKeeperOptions } from '@orrery/registry/zookeeper-client';
import { Nodes } from '../elasticjob/nodes.ts';
import { ElasticJobOperator } from '../elasticjob/operator.ts';
import { NativeOperator } from '../native/operator.ts';
import type { JobOperator } from './operator.ts';
import type { Connection } from './seat.ts';

/** What operators bring along. */
export interface OperatorHost {
  /** A text that no other call returns. */
  readonly id: () => string;
  /** The time zone that a job of ElasticJob without one is taken to have. */
  readonly zone: string;
  readonly options: RegistryOptions;
}

export interface OpenOperator {
  readonly operator: JobOperator;
  close(): Promise<void>;
}

/** Connects on first use. */
export function openOperator(url: string, namespace: string, host: OperatorHost): OpenOperator {
  const { id, zone, options } = host;
  if (kindOf(url) === 'zookeeper') {
    const nodes = lasting(() => Nodes.open(zooKeeperOptions(url, options)));
    return { operator: new ElasticJobOperator(namespace, { nodes: nodes.get, zone }), close: nodes.close };
  }
  const registry = lasting(() => openRegistry(url, options));
  return { operator: new NativeOperator(namespace, { registry: registry.get, id }), close: registry.close };
}

/** One connection, reopened after it is lost. An unreachable server counts as a registry that is away. */
function lasting<C extends Connection>(
  open: () => Promise<C>,
): { readonly get: () => Promise<C>; readonly close: () => Promise<void> } {
  let current: Promise<C> | undefined;
  const get = async (): Promise<C> => {
    if (current && (await current.catch(() => undefined))?.session.state === 'lost') current = undefined;
    current ??= open();
    const opening = current;
    return opening.catch((error) => {
      if (current === opening) current = undefined;
      if (isRegistryError(error)) throw error;
      throw new RegistryError('away', { detail: (error as Error).message, cause: error });
    });
  };
  return { get, close: async () => (await current?.catch(() => undefined))?.close() };
}
