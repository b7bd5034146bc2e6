/**
 * Elastic jobs on ZooKeeper, shared with Java instances of ElasticJob 3. All jobs of a process share one session. When
 * it is lost a new one is opened, with back-off, and every job sits down again with a new instance id.
 */
import { isIPv4 } from 'node:net';
import { InvalidInput } from '@orrery/core/errors';
import { CREATOR_ALL_ACL, OPEN_ACL, type ZooKeeperClient } from '@orrery/registry/zookeeper-client';
import type { JobBoard, JobSeat, SeatRequest } from '../board/board.ts';
import { Nodes } from './nodes.ts';
import { type ElasticJobPorts, ElasticJobSeat } from './seat.ts';

/** Waits between attempts to open a session, in milliseconds; the last one repeats. */
const BACK_OFF = [100, 300, 1_000, 3_000, 10_000];

/** How to reach ZooKeeper. */
export interface ElasticJobOptions {
  readonly open: () => Promise<ZooKeeperClient>;
  /** Whether the client shows credentials: then only those who have them may touch what it creates. */
  readonly isPrivate: boolean;
}

export class ElasticJobBoard implements JobBoard {
  private readonly options: ElasticJobOptions;
  private readonly ports: ElasticJobPorts;
  private readonly seats = new Set<ElasticJobSeat>();
  private nodes: Promise<Nodes>;
  private closed = false;

  private constructor(options: ElasticJobOptions, ports: ElasticJobPorts, nodes: Nodes) {
    this.options = options;
    this.ports = ports;
    this.nodes = Promise.resolve(nodes);
    this.follow(nodes);
  }

  /** Opens a session; fails if ZooKeeper cannot be reached. */
  static async open(options: ElasticJobOptions, ports: ElasticJobPorts): Promise<ElasticJobBoard> {
    if (!isIPv4(ports.server))
      throw new InvalidInput(`server "${ports.server}" is no IPv4 address, which ElasticJob needs`);
    return new ElasticJobBoard(options, ports, await connect(options));
  }

  async join(request: SeatRequest): Promise<JobSeat> {
    const seat = new ElasticJobSeat(request, this.ports, () => this.seats.delete(seat));
    await seat.attach(await this.nodes);
    this.seats.add(seat);
    return seat;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const seat of [...this.seats]) await seat.leave();
    await (await this.nodes).client.close();
  }

  private follow({ client }: Nodes): void {
    client.session.onState((state) => {
      if (state === 'lost') this.lost(client);
    });
    if (client.session.state === 'lost') this.lost(client);
  }

  private lost({ session }: ZooKeeperClient): void {
    if (this.closed) return;
    const reason = session.lostBecause ?? 'the registry session was lost';
    for (const seat of this.seats) seat.lost(reason);
    this.nodes = this.reopen(0);
    // Nobody may wait for it; the attempt is reported in the log.
    this.nodes.catch(() => {});
  }

  /** Seats a job again; one that cannot be read any more does not keep the others away. */
  private async attach(seat: ElasticJobSeat, nodes: Nodes): Promise<void> {
    try {
      await seat.attach(nodes);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      this.ports.log('error', error.message);
    }
  }

  private async reopen(failures: number): Promise<Nodes> {
    const { clock, log } = this.ports;
    try {
      const nodes = await connect(this.options);
      try {
        await Promise.all([...this.seats].map((seat) => this.attach(seat, nodes)));
      } catch (error) {
        await nodes.client.close();
        throw error;
      }
      this.follow(nodes);
      return nodes;
    } catch (error) {
      const delay = BACK_OFF[Math.min(failures, BACK_OFF.length - 1)];
      log('warn', `cannot open a registry session: ${(error as Error).message}; next try in ${delay} ms`);
      await new Promise<void>((resolve) => clock.setTimer(delay, resolve));
      if (this.closed) throw error;
      return this.reopen(failures + 1);
    }
  }
}

async function connect({ open, isPrivate }: ElasticJobOptions): Promise<Nodes> {
  return new Nodes(await open(), isPrivate ? CREATOR_ALL_ACL : OPEN_ACL);
}
