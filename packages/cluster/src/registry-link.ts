/**
 * A node's session in the registry and its entry under `live`. A lost session is reopened for as long as the
 * node
 * wants one.
 *
 *   opening -> open -> opening (the session was lost) -> …
 *   opening | open --(release: the store is away)--> released --(resume)--> opening; each -> closed
 */
import type { Log } from '@orrery/core/log';
import { QuietLog } from '@orrery/core/quiet-log';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import { type Entry, isRegistryError, join, type Registry } from '@orrery/registry';
import { ensure, persist, Membership as RegistryMembers } from '@orrery/registry/recipes';

/** Delay between attempts to open a session, in milliseconds. */
const RETRY_EVERY = 1_000;

/** Registry paths of a cluster. */
export interface ClusterPaths {
  /** Holds the id of the cluster's database. */
  readonly root: string;
  /** Holds the plan; has one ephemeral child per node. */
  readonly live: string;
  /** Has one child per node that ever joined. */
  readonly all: string;
  readonly election: string;
  readonly shard: string;
  readonly acks: string;
}

/** The paths of a cluster by its name. */
function clusterPaths(cluster: string): ClusterPaths {
  const root = join('/orrery', cluster);
  const [live, all, election, shard, acks] = ['live', 'all', 'election', 'shard', 'acks'].map((name) =>
    join(root, name),
  );
  return { root, live, all, election, shard, acks };
}

/** A node's value under `live`. */
export interface LiveValue {
  readonly address: string;
  /** Relative capacity, for strategies that use weights. */
  readonly weight: number;
}

/** Configuration of a link. */
export interface RegistryLinkConfig {
  readonly cluster: string;
  readonly node: string;
  readonly live: LiveValue;
  /** Distinguishes databases that share one registry. */
  readonly storeId: string;
}

export interface RegistryLinkPorts {
  /** Opens a client with a new session. */
  readonly open: () => Promise<Registry>;
  /** Stops the wait for the first session. */
  readonly signal?: AbortSignal;
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  readonly log: Log;
}

/** Callbacks of a link. */
export interface LinkListener {
  /** A session is open, and the node has its entry under `live`. */
  opened?(registry: Registry): void;
  /** Nodes came or went. */
  members?(): void;
  /** The session is past its deadline, or lost. Called once until the session is good again. */
  away?(reason: string): void;
}

/** The registry belongs to another database: waiting would not help. */
class ForeignRegistry extends Error {
  readonly tag = 'foreign-registry';
}

export class RegistryLink {
  readonly paths: ClusterPaths;
  private readonly config: RegistryLinkConfig;
  private readonly ports: RegistryLinkPorts;
  private readonly listeners: LinkListener[] = [];
  private readonly trouble: QuietLog;
  private registry: Registry | undefined;
  private members: RegistryMembers | undefined;
  private retry: ClockTimer | undefined;
  private identity: string | undefined;
  private fault = 'it is not open yet';
  private told: string | undefined;
  private isOpening = false;
  private isReleased = false;
  private isClosed = false;

  private constructor(config: RegistryLinkConfig, ports: RegistryLinkPorts) {
    this.config = config;
    this.ports = ports;
    this.paths = clusterPaths(config.cluster);
    this.trouble = new QuietLog(ports.log, ports.clock);
  }

  /**
   * Opens the first session; waits while the registry does not answer. Fails if it belongs to another
   * database.
   */
  static async open(config: RegistryLinkConfig, ports: RegistryLinkPorts): Promise<RegistryLink> {
    const link = new RegistryLink(config, ports);
    for (;;) {
      ports.signal?.throwIfAborted();
      await link.tryOpen();
      if (link.registry) return link;
      await new Promise<void>((resolve) => ports.clock.setTimer(RETRY_EVERY, resolve));
    }
  }

  /** Reports every later session, and at once the session that is open. */
  listen(listener: LinkListener): void {
    this.listeners.push(listener);
    if (this.registry) listener.opened?.(this.registry);
  }

  /** Identifies the registry and the cluster in it. */
  get id(): string {
    return this.identity ?? '';
  }

  /** The nodes under `live` as last seen; undefined without a good session. */
  get live(): ReadonlyMap<string, Entry> | undefined {
    return this.doubt() === undefined ? this.members?.members : undefined;
  }

  /** Address of the registry, without credentials. */
  get server(): string | undefined {
    return this.registry && `${this.registry.kind} ${this.registry.server}`;
  }

  /** The session timeout granted by the server, in milliseconds. */
  get timeout(): number | undefined {
    return this.registry?.session.timeout;
  }

  /** Why others may count this node as gone; undefined while its session is good. */
  doubt(): string | undefined {
    const { registry } = this;
    if (this.isReleased) return 'its registry session was closed because the store is away';
    if (!registry) return `the registry does not answer: ${this.fault}`;
    const { session, server } = registry;
    if (session.lostBecause !== undefined)
      return `its session in the registry is lost: ${session.lostBecause}`;
    if (session.state !== 'connected')
      return `the registry ${server} has answered no ping for ${Math.round((session.timeout * 2) / 3 - session.remaining())} ms`;
    return undefined;
  }

  /** Ends the session so that others take over: this node cannot reach the store. */
  release(): void {
    if (this.isReleased || this.isClosed) return;
    this.isReleased = true;
    this.ports.log('warn', `${this.config.node} closes its registry session: the store is away`);
    void this.registry?.close();
  }

  /** The store answers: reopens a released session, or restores a missing entry under `live`. */
  resume(): void {
    if (this.isClosed) return;
    const isMissing = this.registry !== undefined && !this.isReleased && !this.standsUnderLive();
    if (this.isReleased) {
      this.isReleased = false;
      this.reopen();
    } else if (isMissing) this.standAgain();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.retry?.cancel();
    this.members?.stop();
    await this.registry?.close();
  }

  private async tryOpen(): Promise<void> {
    const { open } = this.ports;
    this.isOpening = true;
    let registry: Registry | undefined;
    try {
      registry = await open();
      await this.enter(registry);
      this.trouble.over(`the registry ${registry.server} answers`);
    } catch (error) {
      await registry?.close();
      if (error instanceof ForeignRegistry || isRegistryError(error, 'denied')) throw error;
      this.fault = (error as Error).message;
      this.trouble.met(`waiting for the registry: ${this.fault}`);
    } finally {
      this.isOpening = false;
    }
  }

  /** Creates the entries under `live` and `all` in this session. */
  private async enter(registry: Registry): Promise<void> {
    const { paths } = this;
    const { node, live } = this.config;
    for (const path of [paths.live, paths.all, paths.acks]) await ensure(registry, path);
    await this.claimRoot(registry);
    const members = await RegistryMembers.watch(registry, paths.live, () => {
      if (this.members === members) for (const listener of this.listeners) listener.members?.();
    });
    await members.join(node, JSON.stringify(live));
    // After the entry under `live`: a leader drops entries of `all` that are neither under `live` nor in the
    // store.
    await ensure(registry, join(paths.all, node));
    if (this.isClosed || this.isReleased) {
      await registry.close();
      return;
    }
    this.registry = registry;
    this.members = members;
    this.told = undefined;
    registry.session.onState((state) => this.stateOf(registry, state));
    for (const listener of this.listeners) listener.opened?.(registry);
  }

  /** The first node writes the id of the cluster's database; the others compare it. */
  private async claimRoot(registry: Registry): Promise<void> {
    const { root } = this.paths;
    const { storeId, cluster } = this.config;
    const entry = await persist(registry, root, async () => {
      const found = await registry.get(root);
      if (found && found.value !== '') return found;
      try {
        return await registry.set(root, storeId, found?.version);
      } catch (error) {
        if (!isRegistryError(error, 'version')) throw error;
        return registry.get(root);
      }
    });
    if (entry?.value !== storeId)
      throw new ForeignRegistry(
        `the registry ${registry.server} has a cluster "${cluster}" of another database; give this one another name with --cluster`,
      );
    this.identity = `${registry.kind} ${cluster} ${entry.created}`;
  }

  private stateOf(registry: Registry, state: string): void {
    if (registry !== this.registry) return;
    if (state === 'connected') {
      if (this.told !== undefined) this.ports.log('info', `the registry ${registry.server} answers again`);
      this.told = undefined;
      return;
    }
    const reason = this.doubt() ?? state;
    if (state === 'lost') {
      this.registry = undefined;
      this.members?.stop();
      this.members = undefined;
      this.fault = registry.session.lostBecause ?? reason;
    }
    if (this.isClosed) return;
    if (this.told === undefined) for (const listener of this.listeners) listener.away?.(reason);
    this.told = reason;
    if (state === 'lost' && !this.isReleased) this.reopen();
  }

  private reopen(): void {
    this.retry?.cancel();
    const again = async () => {
      if (this.isClosed || this.isReleased || this.registry) return;
      if (!this.isOpening) await this.tryOpen().catch((error) => this.refuse(error));
      if (!this.registry && !this.isClosed)
        this.retry = this.ports.clock.setTimer(RETRY_EVERY, () => void again());
    };
    void again();
  }

  private refuse(error: Error): void {
    this.fault = error.message;
    this.ports.log('error', error.message);
  }

  private standsUnderLive(): boolean {
    const { registry, members } = this;
    if (registry?.session.state !== 'connected') return true;
    return members?.members.get(this.config.node)?.owner === registry.session.id;
  }

  /** Somebody deleted its entry although its epoch is still valid. */
  private standAgain(): void {
    const { node, live } = this.config;
    this.members?.join(node, JSON.stringify(live)).catch((error) => {
      this.ports.log('warn', `could not stand under live again: ${(error as Error).message}`);
    });
  }
}
