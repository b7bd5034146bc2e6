/**
 * The verbs with which ElasticJob writes ZooKeeper: missing parents are permanent nodes without data, values are set in
 * one transaction with a check. Every node has the same access list.
 */
import type { Session } from '@orrery/registry';
import {
  type Acl,
  CREATOR_ALL_ACL,
  type CreateMode,
  isCode,
  type MultiOperation,
  OPEN_ACL,
  type Stat,
  ZooKeeperClient,
  type ZooKeeperOptions,
} from '@orrery/registry/zookeeper-client';

const NOTHING = Buffer.alloc(0);

export class Nodes {
  readonly client: ZooKeeperClient;
  private readonly acl: readonly Acl[];

  constructor(client: ZooKeeperClient, acl: readonly Acl[]) {
    this.client = client;
    this.acl = acl;
  }

  /** Connects, and creates the chroot. With credentials, only their holders may access what is created. */
  static async open(options: ZooKeeperOptions): Promise<Nodes> {
    const client = await ZooKeeperClient.connect(options);
    try {
      await client.ensureChroot();
    } catch (error) {
      await client.close();
      throw error;
    }
    return new Nodes(client, options.auth?.length ? CREATOR_ALL_ACL : OPEN_ACL);
  }

  get session(): Session {
    return this.client.session;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** The value as text; undefined if there is no node. */
  async get(path: string): Promise<string | undefined> {
    return (await this.client.getData(path))?.data.toString();
  }

  async children(path: string): Promise<readonly string[]> {
    return (await this.client.getChildren(path))?.names ?? [];
  }

  /** Creates a node and its missing parents; its stat, or undefined if it is there already. */
  async create(path: string, value: string, mode: CreateMode = 'persistent'): Promise<Stat | undefined> {
    return (await this.createNamed(path, value, mode, 'persistent'))?.stat;
  }

  /** The same with the kind of the parents chosen; answers the path too, which has a number if it is sequential. */
  async createNamed(
    path: string,
    value: string,
    mode: CreateMode,
    parents: CreateMode,
  ): Promise<{ readonly path: string; readonly stat: Stat } | undefined> {
    // A container that became empty may vanish between the parents and the node.
    for (;;) {
      try {
        return await this.client.create(path, Buffer.from(value), mode, this.acl);
      } catch (error) {
        if (isCode(error, 'NODE_EXISTS')) return undefined;
        if (!isCode(error, 'NO_NODE')) throw error;
        await this.parents(path, parents);
      }
    }
  }

  /** Creates a node or sets its value. */
  async persist(path: string, value: string): Promise<Stat> {
    for (;;) {
      const created = await this.create(path, value);
      if (created) return created;
      try {
        const results = await this.client.multi([
          { op: 'check', path },
          { op: 'set', path, data: Buffer.from(value) },
        ]);
        const stat = results[1]?.stat;
        if (stat) return stat;
      } catch (error) {
        if (!isCode(error, 'NO_NODE')) throw error;
      }
    }
  }

  /** Creates a node of this session in place of any that is there. */
  async persistEphemeral(path: string, value: string): Promise<void> {
    while (!(await this.create(path, value, 'ephemeral'))) await this.remove(path);
  }

  /** A step of a transaction that creates a permanent node. */
  creation(path: string, value: string): MultiOperation {
    return { op: 'create', path, data: Buffer.from(value), acl: this.acl };
  }

  /** Deletes a node and all below it; true if it was there. */
  async remove(path: string): Promise<boolean> {
    for (;;) {
      try {
        await this.client.delete(path);
        return true;
      } catch (error) {
        if (isCode(error, 'NO_NODE')) return false;
        if (!isCode(error, 'NOT_EMPTY')) throw error;
        await Promise.all((await this.children(path)).map((name) => this.remove(`${path}/${name}`)));
      }
    }
  }

  private async parents(path: string, mode: CreateMode): Promise<void> {
    const above = path.slice(0, path.lastIndexOf('/'));
    if (above === '') return;
    try {
      await this.client.create(above, NOTHING, mode, this.acl);
    } catch (error) {
      if (isCode(error, 'NO_NODE')) {
        await this.parents(above, mode);
        await this.parents(path, mode);
      } else if (!isCode(error, 'NODE_EXISTS')) throw error;
    }
  }
}
