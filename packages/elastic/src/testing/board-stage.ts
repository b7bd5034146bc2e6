/** A stage for jobs on any registry of the test services, in real time: instances, gates for their shards, a record. */
import { join } from 'node:path';
import { type Job, parseJob } from '@orrery/core/model';
import type { Clock } from '@orrery/core/timing';
import { kindOf, openRegistry } from '@orrery/registry';
import { zooKeeperOptions } from '@orrery/registry/zookeeper-client';
import { etcd } from '../../../../scripts/services/etcd.ts';
import { startService } from '../../../../scripts/services/lifecycle.ts';
import { postgres } from '../../../../scripts/services/postgres.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import type { JobBoard, ShardStrategy } from '../board/board.ts';
import { type OpenOperator, openOperator } from '../board/open-operator.ts';
import type { Connection } from '../board/seat.ts';
import { openElasticJobBoard } from '../elasticjob/board.ts';
import { Nodes } from '../elasticjob/nodes.ts';
import { openNativeBoard } from '../native/board.ts';
import type { ShardContext } from '../run/context.ts';
import { JobRunner, type RunnerOptions } from '../run/job-runner.ts';

/** The registries that a job can be on. */
export const registryKinds = ['memory', 'postgres', 'etcd', 'zookeeper'] as const;
export type StageKind = (typeof registryKinds)[number];

/** One start of one shard. */
export interface StageRun
  extends Pick<ShardContext, 'instance' | 'shard' | 'token' | 'cause' | 'due' | 'triggerParameter'> {
  readonly aborted: () => boolean;
  ended: boolean;
}

/** What a test lends to the stage. */
export interface StageHost {
  readonly clock: Clock;
  /** A new UUID. */
  readonly uuid: () => string;
}

export interface BoardInstance {
  readonly server: string;
  readonly runner: JobRunner;
  /** Ends its session on the server, as after a long silence; unless it is `dead` it opens another. */
  expire(dead: boolean): Promise<void>;
}

export class BoardStage {
  readonly ran: StageRun[] = [];
  readonly errors: string[] = [];
  readonly logs: string[] = [];
  readonly namespace: string;
  readonly operator: OpenOperator['operator'];
  private readonly url: string;
  private readonly host: StageHost;
  private readonly half: OpenOperator;
  private readonly boards: JobBoard[] = [];
  private readonly gates = new Set<() => void>();
  private isOpen = true;

  private constructor(url: string, host: StageHost) {
    this.url = url;
    this.host = host;
    this.namespace = `stage-${host.uuid()}`;
    this.half = openOperator(url, this.namespace, {
      id: host.uuid,
      zone: 'UTC',
      options: { sessionTimeout: 30_000 },
    });
    this.operator = this.half.operator;
  }

  static async open(kind: StageKind, host: StageHost): Promise<BoardStage> {
    const folder = join(import.meta.dirname, '../../../../.services');
    const address = async (service: Parameters<typeof startService>[0]) =>
      `127.0.0.1:${(await startService(service, folder, true)).port}`;
    switch (kind) {
      case 'memory':
        return new BoardStage(`memory:${host.uuid()}`, host);
      case 'postgres':
        return new BoardStage(`postgres://postgres@${await address(postgres)}/postgres`, host);
      case 'etcd':
        return new BoardStage(`etcd://${await address(etcd)}`, host);
      case 'zookeeper':
        return new BoardStage(`zookeeper://${await address(zookeeper)}`, host);
    }
  }

  job(more: Record<string, unknown> = {}): Job {
    const { job, problems } = parseJob({ namespace: this.namespace, name: 'job', shards: 10, ...more });
    if (!job) throw new Error(JSON.stringify(problems));
    return job;
  }

  async start(
    server: string,
    job: Job,
    how: {
      options?: Partial<RunnerOptions>;
      identity?: string;
      strategies?: Readonly<Record<string, ShardStrategy>>;
    } = {},
  ): Promise<BoardInstance> {
    const { clock, uuid } = this.host;
    const ports = {
      clock,
      server,
      zone: 'UTC',
      newInstance: () => `${server}@-@1-${uuid().slice(0, 8)}`,
      newLatchId: uuid,
      id: uuid,
      log: (level: string, text: string) => void this.logs.push(`${level} ${text}`),
    };
    let isDown = false;
    let connection: Connection | undefined;
    const opening =
      <C extends Connection>(open: () => Promise<C>) =>
      async () => {
        if (isDown) throw new Error('crashed');
        const opened = await open();
        connection = opened;
        return opened;
      };
    const options = { sessionTimeout: 30_000, clock };
    const board =
      kindOf(this.url) === 'zookeeper'
        ? await openElasticJobBoard(
            opening(() => Nodes.open(zooKeeperOptions(this.url, options))),
            ports,
          )
        : await openNativeBoard(
            opening(() => openRegistry(this.url, options)),
            ports,
          );
    this.boards.push(board);
    const { identity = 'stage', strategies = {} } = how;
    const runner = await JobRunner.start(
      board,
      { job, identity, strategies },
      {
        handler: (context) => this.run(context),
        limits: { retries: 0, retryDelay: 100, timeout: undefined, grace: 1_000 },
        listeners: {},
        onError: (error) => void this.errors.push(error),
        ...how.options,
      },
      ports,
    );
    return {
      server,
      runner,
      async expire(dead) {
        isDown = dead;
        await connection?.close();
      },
    };
  }

  /** Shards begin and wait until `release`. */
  hold(): void {
    this.isOpen = false;
  }

  release(): void {
    this.isOpen = true;
    for (const gate of [...this.gates]) gate();
  }

  /** A round of all instances, from its triggers to its end; what ran in it. */
  async round(count: number): Promise<readonly StageRun[]> {
    const from = this.ran.length;
    await this.operator.trigger('job', {});
    await this.until(() => this.ran.length >= from + count);
    await this.until(async () => (await this.operator.show('job')).running === 0);
    return this.ran.slice(from);
  }

  /** Starts a round whose shards wait. */
  async holdRound(count: number): Promise<void> {
    const from = this.ran.length;
    this.hold();
    await this.operator.trigger('job', {});
    await this.until(() => this.ran.length >= from + count);
  }

  /** Resolves when these servers have the shards and no new division is due. */
  async divided(servers: readonly string[]): Promise<void> {
    await this.until(async () => {
      const { shardList, mark } = await this.operator.show('job');
      const seen = new Set(shardList.map(({ owner }) => owner?.split('@-@')[0]));
      return !mark && seen.size === servers.length && servers.every((server) => seen.has(server));
    });
  }

  /** Polls for an event. */
  async until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isTrue())) await new Promise<void>((resolve) => this.host.clock.setTimer(20, resolve));
  }

  async close(): Promise<void> {
    this.release();
    await Promise.all(this.boards.map((board) => board.close().catch(() => {})));
    for (const { name } of await this.operator.list()) await this.operator.remove(name).catch(() => {});
    await this.half.close();
  }

  private async run(context: ShardContext): Promise<void> {
    const { instance, shard, token, cause, due, triggerParameter, signal } = context;
    const aborted = () => signal.aborted;
    const ran: StageRun = { instance, shard, token, cause, due, triggerParameter, aborted, ended: false };
    this.ran.push(ran);
    try {
      if (this.isOpen) return;
      await new Promise<void>((resolve, reject) => {
        this.gates.add(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    } finally {
      ran.ended = true;
    }
  }
}
