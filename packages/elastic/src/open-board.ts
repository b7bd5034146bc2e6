/** Opens the board that a registry url asks for: ElasticJob's layout on ZooKeeper, ours on every other registry. */
import { kindOf, openRegistry, type RegistryOptions } from '@orrery/registry';
import type { JobBoard } from './board/board.ts';
import type { JobOperator } from './board/operator.ts';
import type { SeatPorts } from './board/seat.ts';
import { openNativeBoard } from './native/board.ts';
import { NativeOperator } from './native/operator.ts';

/** What a board needs from its host. */
export interface BoardPorts extends SeatPorts {
  /** A UUID that is never used again. */
  readonly id: () => string;
  /** The time zone of this process. */
  readonly zone: string;
}

/** A board, and the operator's half of it on the same session. */
export interface OpenBoard {
  readonly board: JobBoard;
  readonly operator: JobOperator;
}

/** Where a namespace is. */
export interface BoardAddress {
  readonly url: string;
  readonly namespace: string;
  readonly options: RegistryOptions;
}

/** Opens a session; fails if the registry cannot be reached. */
export async function openBoard(
  { url, namespace, options }: BoardAddress,
  ports: BoardPorts,
): Promise<OpenBoard> {
  const { id, zone } = ports;
  if (kindOf(url) !== 'zookeeper') {
    const board = await openNativeBoard(() => openRegistry(url, options), ports);
    return { board, operator: new NativeOperator(namespace, { registry: () => board.connection(), id }) };
  }
  const [{ openElasticJobBoard }, { Nodes }, { ElasticJobOperator }, { zooKeeperOptions }] =
    await Promise.all([
      import('./elasticjob/board.ts'),
      import('./elasticjob/nodes.ts'),
      import('./elasticjob/operator.ts'),
      import('@orrery/registry/zookeeper-client'),
    ]);
  const board = await openElasticJobBoard(() => Nodes.open(zooKeeperOptions(url, options)), {
    ...ports,
    newLatchId: id,
  });
  return { board, operator: new ElasticJobOperator(namespace, { nodes: () => board.connection(), zone }) };
}
