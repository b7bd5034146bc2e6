/** A stage for jobs on the ZooKeeper of the test services, in real time: instances, gates for their shards, a record. */
import { join } from 'node:path';
import { type Job, parseJob } from '@orrery/core/model';
import type { Clock } from '@orrery/core/timing';
import {
  CREATOR_ALL_ACL,
  OPEN_ACL,
  ZooKeeperClient,
  type ZooKeeperOptions,
} from '@orrery/registry/zookeeper-client';
import { startService } from '../../../../scripts/services/lifecycle.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import type { JobBoard, JobSeat } from '../board/board.ts';
import { type ElasticJobBoard, openElasticJobBoard } from '../elasticjob/board.ts';
import { Nodes } from '../elasticjob/nodes.ts';
import { ElasticJobOperator } from '../elasticjob/operator.ts';
import type { ShardContext } from '../run/context.ts';
import { JobRunner, type RunnerOptions } from '../run/job-runner.ts';
import type { WriteRequest, WriteStep } from './transcript.ts';

/** One start of one shard. */
export interface ZooKeeperRan extends Pick<ShardContext, 'instance' | 'shard' | 'token' | 'cause' | 'due'> {
  readonly aborted: () => boolean;
  ended: boolean;
}

export interface ZooKeeperInstance {
  readonly server: string;
  readonly runner: JobRunner;
  readonly client: () => ZooKeeperClient;
  /** Its session is over on the server, as after a long silence; unless it is `dead` it opens another. */
  expire(dead: boolean): Promise<void>;
}

/** What a test lends to the stage. */
export interface StageHost {
  readonly clock: Clock;
  /** A new UUID. */
  readonly uuid: () => string;
}

export class ZooKeeperStage {
  readonly namespace: string;
  readonly root: string;
  readonly ran: ZooKeeperRan[] = [];
  readonly errors: string[] = [];
  readonly logs: string[] = [];
  /** Every request of every instance that writes, also those that ZooKeeper refused. */
  readonly requests: (WriteRequest & { failed: boolean })[] = [];
  /** An operator's own session. */
  readonly operator: ZooKeeperClient;
  readonly port: number;
  private readonly boards: ElasticJobBoard[] = [];
  private readonly clients: ZooKeeperClient[] = [];
  private readonly gates = new Set<() => void>();
  private isOpen = true;

  private readonly host: StageHost;

  private constructor(host: StageHost, operator: ZooKeeperClient, port: number) {
    this.host = host;
    this.namespace = `ns${host.uuid().slice(0, 8)}`;
    this.root = `/${this.namespace}/job`;
    this.operator = operator;
    this.port = port;
  }

  static async open(host: StageHost): Promise<ZooKeeperStage> {
    const folder = join(import.meta.dirname, '../../../../.services');
    const { port } = await startService(zookeeper, folder, true);
    const hosts = [{ host: '127.0.0.1', port }];
    return new ZooKeeperStage(host, await ZooKeeperClient.connect({ hosts, sessionTimeout: 30_000 }), port);
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
      client?: Partial<ZooKeeperOptions>;
      options?: Partial<RunnerOptions>;
      /** The suffix of its first id, instead of a random one. */
      process?: string;
      /** The instance's own clock. */
      clock?: Clock;
      /** Changes what the seat does, to put events between its steps. */
      onSeat?: (seat: JobSeat) => void;
    } = {},
  ): Promise<ZooKeeperInstance> {
    const hosts = [{ host: '127.0.0.1', port: this.port }];
    let client: ZooKeeperClient | undefined;
    let isDown = false;
    const open = async () => {
      if (isDown) throw new Error('crashed');
      client = await ZooKeeperClient.connect({ hosts, sessionTimeout: 30_000, ...how.client });
      this.clients.push(client);
      this.record(client, by);
      return new Nodes(client, how.client?.auth ? CREATOR_ALL_ACL : OPEN_ACL);
    };
    const { uuid } = this.host;
    const { clock = this.host.clock } = how;
    const by = how.process ?? uuid();
    const names = how.process === undefined ? [] : [how.process];
    const ports = {
      clock,
      server,
      zone: 'UTC',
      newInstance: () => `${server}@-@${names.shift() ?? `1-${uuid().slice(0, 8)}`}`,
      newLatchId: uuid,
      id: uuid,
      log: (level: string, text: string) => void this.logs.push(`${level} ${text}`),
    };
    const board = await openElasticJobBoard(open, ports);
    this.boards.push(board);
    const options: RunnerOptions = {
      handler: (context) => this.run(context),
      limits: { retries: 0, retryDelay: 100, timeout: undefined, grace: 1_000 },
      listeners: {},
      onError: (error) => void this.errors.push(error),
      ...how.options,
    };
    const join: JobBoard['join'] = async (request) => {
      const seat = await board.join(request);
      how.onSeat?.(seat);
      return seat;
    };
    const runner = await JobRunner.start(
      { join, close: () => board.close() },
      { job, identity: 'Node$MyJob', strategies: {} },
      options,
      ports,
    );
    return {
      server,
      runner,
      client: () => client as ZooKeeperClient,
      async expire(dead) {
        isDown = dead;
        if (!client) return;
        const old = client;
        const { identity: resume } = old;
        await (await ZooKeeperClient.connect({ hosts, sessionTimeout: 30_000, resume })).close();
        old.abandon();
      },
    };
  }

  /** An operator whose writes are recorded. */
  async jobOperator(): Promise<ElasticJobOperator> {
    const hosts = [{ host: '127.0.0.1', port: this.port }];
    const client = await ZooKeeperClient.connect({ hosts, sessionTimeout: 30_000 });
    this.clients.push(client);
    this.record(client, 'operator');
    const nodes = new Nodes(client, OPEN_ACL);
    return new ElasticJobOperator(this.namespace, { nodes: async () => nodes, zone: 'UTC' });
  }

  /** Shards begin and wait until `release`. */
  hold(): void {
    this.isOpen = false;
  }

  release(): void {
    this.isOpen = true;
    for (const gate of [...this.gates]) gate();
  }

  /** Asks all instances for a round, as ElasticJob's console does. */
  async triggerAll(): Promise<void> {
    const { operator, root } = this;
    await operator.ensure(`${root}/trigger`);
    for (const name of await this.children('instances'))
      await operator.create(`${root}/trigger/${name}`, Buffer.alloc(0));
  }

  /** A round of all instances, from its triggers to its end; what ran in it. */
  async round(count: number): Promise<readonly ZooKeeperRan[]> {
    const from = this.ran.length;
    await this.triggerAll();
    await this.until(() => this.ran.length >= from + count && this.ran.every(({ ended }) => ended));
    await this.until(async () => (await this.running()).length === 0);
    return this.ran.slice(from);
  }

  async get(path: string): Promise<string | undefined> {
    return (await this.operator.getData(`${this.root}/${path}`))?.data.toString();
  }

  async set(path: string, value: string): Promise<void> {
    const full = `${this.root}/${path}`;
    if (await this.operator.exists(full)) await this.operator.setData(full, Buffer.from(value));
    else await this.operator.create(full, Buffer.from(value));
  }

  async children(path: string): Promise<string[]> {
    const found = await this.operator.getChildren(`${this.root}/${path}`);
    return (found?.names ?? []).sort().reverse();
  }

  /** Every node of the namespace, by path: `path = 'value'`. */
  async tree(): Promise<string[]> {
    const read = async (path: string): Promise<string[]> => {
      const [node, below] = await Promise.all([this.operator.getData(path), this.operator.getChildren(path)]);
      const names = (below?.names ?? []).sort();
      const lines = await Promise.all(names.map((name) => read(`${path}/${name}`)));
      return [`${path} = '${node?.data.toString().replaceAll('\n', '\\n')}'`, ...lines.flat()];
    };
    return (await read(`/${this.namespace}`)).filter((line) => !line.includes('/job/trigger'));
  }

  /** Shards that have a `running` entry. */
  async running(): Promise<string[]> {
    const shards = await this.children('sharding');
    const stats = await Promise.all(
      shards.map((shard) => this.operator.exists(`${this.root}/sharding/${shard}/running`)),
    );
    return shards.filter((_, i) => stats[i] !== undefined);
  }

  /** The owner of each shard. */
  async owners(total = 10): Promise<(string | undefined)[]> {
    return Promise.all(Array.from({ length: total }, (_, i) => this.get(`sharding/${i}/instance`)));
  }

  /** Resolves when the shards are divided and no new division is due. */
  async divided(servers: readonly string[], total = 10): Promise<void> {
    await this.until(async () => {
      if ((await this.get('leader/sharding/necessary')) !== undefined) return false;
      const owners = await this.owners(total);
      const seen = new Set(owners.map((owner) => owner?.split('@-@')[0]));
      return seen.size === servers.length && servers.every((server) => seen.has(server));
    });
  }

  /** Polls for an event. */
  async until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isTrue())) await new Promise<void>((resolve) => this.host.clock.setTimer(10, resolve));
  }

  async close(): Promise<void> {
    this.release();
    await Promise.all(this.boards.map((board) => board.close().catch(() => {})));
    await Promise.all(this.clients.map((client) => client.close()));
    await removeAll(this.operator, `/${this.namespace}`);
    await this.operator.close();
  }

  private async run({ instance, shard, token, cause, due, signal }: ShardContext): Promise<void> {
    const aborted = () => signal.aborted;
    const ran: ZooKeeperRan = { instance, shard, token, cause, due, aborted, ended: false };
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

  private record(client: ZooKeeperClient, by: string): void {
    const note = <T>(steps: readonly WriteStep[], answer: Promise<T>): Promise<T> => {
      const request = { by, steps, failed: false };
      this.requests.push(request);
      answer.catch(() => {
        request.failed = true;
      });
      return answer;
    };
    const step = (kind: WriteStep['kind'], path: string, data: Uint8Array = Buffer.alloc(0)): WriteStep => ({
      kind,
      path,
      value: Buffer.from(data).toString(),
    });
    const created = (mode: string) => mode.replace('-sequential', '') as WriteStep['kind'];
    const { create, multi, setData, delete: remove } = client;
    client.create = (path, data, mode = 'persistent', acl) =>
      note([step(created(mode), path, data)], create.call(client, path, data, mode, acl));
    client.setData = (path, data, version) =>
      note([step('set', path, data)], setData.call(client, path, data, version));
    client.delete = (path, version) => note([step('delete', path)], remove.call(client, path, version));
    client.multi = (operations) => {
      const steps = operations.flatMap((one) => {
        if (one.op === 'create') return [step(created(one.mode ?? 'persistent'), one.path, one.data)];
        if (one.op === 'set') return [step('set', one.path, one.data)];
        return one.op === 'delete' ? [step('delete', one.path)] : [];
      });
      return note(steps, multi.call(client, operations));
    };
  }
}

async function removeAll(client: ZooKeeperClient, path: string): Promise<void> {
  const found = await client.getChildren(path);
  for (const name of found?.names ?? []) await removeAll(client, `${path}/${name}`);
  await client.delete(path).catch(() => {});
}
