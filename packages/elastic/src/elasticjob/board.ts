/** Elastic jobs on ZooKeeper, shared with Java instances of ElasticJob 3. */
import { isIPv4 } from 'node:net';
import { InvalidInput } from '@orrery/core/errors';
import { SessionBoard } from '../board/session-board.ts';
import type { Nodes } from './nodes.ts';
import { type ElasticJobPorts, ElasticJobSeat } from './seat.ts';

export type ElasticJobBoard = SessionBoard<Nodes>;

/** Opens a session; fails if ZooKeeper cannot be reached. */
export async function openElasticJobBoard(
  open: () => Promise<Nodes>,
  ports: ElasticJobPorts,
): Promise<ElasticJobBoard> {
  if (!isIPv4(ports.server))
    throw new InvalidInput(`server "${ports.server}" is no IPv4 address, which ElasticJob needs`);
  return SessionBoard.open(
    { open, newSeat: (request, onLeave) => new ElasticJobSeat(request, ports, onLeave) },
    ports,
  );
}
