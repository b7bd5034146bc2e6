/**
 * The registry on ZooKeeper. A read follows a `sync` in the same burst, so it sees every write acknowledged
 * before, whichever server answers. Entries are ordinary nodes with UTF-8 values; with credentials, only
 * clients with the same credentials can access them.
 */
import type { Clock } from '@orrery/core/timing';
import { RegistryError, type RegistryReason } from '../errors.ts';
import { checkOperations, checkPath, comparePaths, join } from '../path.ts';
import type {
  CreateOptions,
  Entry,
  Operation,
  Registry,
  Watch,
  WatchEvent,
  WatchScope,
} from '../registry.ts';
import type { SessionTracker } from '../session.ts';
import { ZooKeeperClient, type ZooKeeperOptions } from './client.ts';
import type { MultiOperation, MultiResult } from './multi.ts';
import {
  type Acl,
  CREATOR_ALL_ACL,
  type CreateMode,
  OPEN_ACL,
  type Stat,
  type ZooKeeperCode,
  ZooKeeperError,
} from './records.ts';

const reasons: Partial<Record<ZooKeeperCode, RegistryReason>> = {
  NO_NODE: 'no-entry',
  NODE_EXISTS: 'exists',
  BAD_VERSION: 'version',
  NOT_EMPTY: 'not-empty',
  NO_CHILDREN_FOR_EPHEMERALS: 'below-ephemeral',
  SESSION_EXPIRED: 'session-lost',
  CONNECTION_LOSS: 'away',
  SESSION_MOVED: 'away',
  THROTTLED: 'away',
  NO_AUTH: 'denied',
  AUTH_FAILED: 'denied',
  INVALID_ACL: 'denied',
  QUOTA_EXCEEDED: 'too-large',
};

/** ZooKeeper's own nodes. */
const OWN = '/zookeeper';

export class ZooKeeperRegistry implements Registry {
  readonly kind = 'zookeeper';
  readonly session: SessionTracker;
  readonly clock: Clock;
  readonly #client: ZooKeeperClient;
  readonly #acl: readonly Acl[];

  private constructor(client: ZooKeeperClient, acl: readonly Acl[]) {
    this.#client = client;
    this.#acl = acl;
    this.session = client.session;
    this.clock = client.clock;
  }

  /** Connects, and creates the chroot. */
  static async open(options: ZooKeeperOptions): Promise<ZooKeeperRegistry> {
    const client = await ZooKeeperClient.connect(options);
    const acl = options.auth?.length ? CREATOR_ALL_ACL : OPEN_ACL;
    try {
      // Open to all: clusters with different credentials may share the nodes above theirs.
      await client.ensureChroot();
    } catch (error) {
      await client.close();
      throw asRegistryError(error, false);
    }
    return new ZooKeeperRegistry(client, acl);
  }

  get server(): string {
    return this.#client.address;
  }

  async get(path: string): Promise<Entry | undefined> {
    checkPath(path);
    if (path === '/') return undefined;
    return this.#read(async () => {
      const node = await this.#client.getData(path);
      return node && entryOf(path, node.data.toString(), node.stat);
    });
  }

  async children(path: string): Promise<string[]> {
    checkPath(path);
    return this.#read(async () => {
      const names = (await this.#client.getChildren(path))?.names ?? [];
      return names.filter((name) => join(path, name) !== OWN).sort();
    });
  }

  async subtree(path: string): Promise<Entry[]> {
    checkPath(path);
    const entries: Entry[] = [];
    const visit = async (at: string): Promise<void> => {
      const node = at === '/' ? undefined : await this.#client.getData(at);
      if (node) entries.push(entryOf(at, node.data.toString(), node.stat));
      if (node ? node.stat.numChildren === 0 : at !== '/') return;
      const names = (await this.#client.getChildren(at))?.names ?? [];
      const below = names.map((name) => join(at, name)).filter((child) => child !== OWN);
      await Promise.all(below.map(visit));
    };
    await this.#read(() => visit(path));
    return entries.sort((a, b) => comparePaths(a.path, b.path));
  }

  async create(path: string, value: string, options: CreateOptions = {}): Promise<Entry> {
    return (await this.transaction([{ op: 'create', path, value, ...options }]))[0] as Entry;
  }

  async set(path: string, value: string, version?: number): Promise<Entry> {
    return (await this.transaction([{ op: 'set', path, value, version }]))[0] as Entry;
  }

  async delete(path: string, version?: number): Promise<void> {
    await this.transaction([{ op: 'delete', path, version }]);
  }

  async transaction(operations: readonly Operation[]): Promise<(Entry | undefined)[]> {
    checkOperations(operations);
    try {
      const results = await this.#client.multi(operations.map((operation) => this.#encode(operation)));
      return results.map((result, k) => this.#decode(operations[k], result));
    } catch (error) {
      throw asRegistryError(error, true, operations);
    }
  }

  async watch(path: string, scope: WatchScope, listener: (event: WatchEvent) => void): Promise<Watch> {
    checkPath(path);
    const mode = scope === 'subtree' ? 'recursive' : 'persistent';
    try {
      const stop = await this.#client.watch(path, mode, (event) => {
        if (event.type !== 'children') listener({ type: event.type, path: event.path });
      });
      return { stop };
    } catch (error) {
      throw asRegistryError(error, false);
    }
  }

  /** ZooKeeper reports its time only in answers to writes. */
  async serverTime(): Promise<undefined> {
    return undefined;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** The `sync` and the read are sent together; the server keeps their order. */
  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      const [, result] = await Promise.all([this.#client.sync(), read()]);
      return result;
    } catch (error) {
      throw asRegistryError(error, false);
    }
  }

  #decode(operation: Operation, { path, stat, zxid }: MultiResult): Entry | undefined {
    if (operation.op === 'set') return stat && entryOf(operation.path, operation.value, stat);
    if (operation.op !== 'create') return undefined;
    const owner = operation.ephemeral ? this.session.id : undefined;
    const created = Number(zxid);
    return {
      path: path ?? operation.path,
      value: operation.value,
      version: 0,
      created,
      changed: created,
      owner,
    };
  }

  #encode(operation: Operation): MultiOperation {
    switch (operation.op) {
      case 'create':
        return {
          op: 'create',
          path: operation.path,
          data: Buffer.from(operation.value),
          mode: modeOf(operation),
          acl: this.#acl,
        };
      case 'set':
        return { ...operation, data: Buffer.from(operation.value) };
      default:
        return operation;
    }
  }
}

function modeOf({ ephemeral, sequential }: CreateOptions): CreateMode {
  const mode = ephemeral ? 'ephemeral' : 'persistent';
  return sequential ? `${mode}-sequential` : mode;
}

function entryOf(path: string, value: string, stat: Stat): Entry {
  return {
    path,
    value,
    version: stat.version,
    created: Number(stat.czxid),
    changed: Number(stat.mzxid),
    owner:
      stat.ephemeralOwner === 0n ? undefined : `0x${BigInt.asUintN(64, stat.ephemeralOwner).toString(16)}`,
  };
}

/** Converts ZooKeeper's error to the registry's own; `write` says whether it may have been applied. */
export function asRegistryError(error: unknown, write: boolean, operations?: readonly Operation[]): unknown {
  if (!(error instanceof ZooKeeperError)) return error;
  const step = error.step;
  const failed = step === undefined ? undefined : operations?.[step];
  const reason = reasons[error.code];
  if (!reason) return error;
  return new RegistryError(failed?.op === 'create' && reason === 'no-entry' ? 'no-parent' : reason, {
    path: failed?.path ?? error.path,
    step,
    unknown: write && reason === 'away' && error.sent,
    cause: error,
  });
}
