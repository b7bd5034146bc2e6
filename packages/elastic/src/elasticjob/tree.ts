/**
 * Copies of a job's nodes: taken once, or following ZooKeeper by one recursive watch. Events name nodes, which are read
 * again; after `settled` the copy has everything that this session's server had when it was called.
 */
import {
  isCode,
  type NodeData,
  type ZooKeeperClient,
  type ZooKeeperEvent,
} from '@orrery/registry/zookeeper-client';

export interface TreeNode {
  readonly value: string;
  readonly czxid: number;
  /** When it was created, by the server's clock. */
  readonly ctime: number;
}

/** Nodes by path. */
export class TreeCopy {
  protected readonly nodes = new Map<string, TreeNode>();
  private readonly names = new Map<string, Set<string>>();

  get(path: string): TreeNode | undefined {
    return this.nodes.get(path);
  }

  has(path: string): boolean {
    return this.nodes.has(path);
  }

  /** Names of the children, descending by UTF-16 units as Java sorts them. */
  children(path: string): string[] {
    return [...(this.names.get(path) ?? [])].sort((a, b) => (a < b ? 1 : -1));
  }

  /** Every node, by path. */
  entries(): readonly { readonly path: string; readonly value: string }[] {
    return [...this.nodes]
      .map(([path, { value }]) => ({ path, value }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  put(path: string, { data, stat }: NodeData): void {
    this.nodes.set(path, { value: data.toString(), czxid: Number(stat.czxid), ctime: Number(stat.ctime) });
    const at = path.lastIndexOf('/');
    const above = path.slice(0, at);
    const names = this.names.get(above);
    if (names) names.add(path.slice(at + 1));
    else this.names.set(above, new Set([path.slice(at + 1)]));
  }

  protected drop(path: string): void {
    this.nodes.delete(path);
    const at = path.lastIndexOf('/');
    this.names.get(path.slice(0, at))?.delete(path.slice(at + 1));
  }
}

/** Reads a node and all below it. */
export async function copyTree(client: ZooKeeperClient, root: string): Promise<TreeCopy> {
  const copy = new TreeCopy();
  const read = async (path: string): Promise<void> => {
    const [answer, listed] = await Promise.all([client.getData(path), client.getChildren(path)]);
    if (answer) copy.put(path, answer);
    await Promise.all((listed?.names ?? []).map((name) => read(`${path}/${name}`)));
  };
  await Promise.all([client.sync(), read(root)]);
  return copy;
}

/** A copy that follows the nodes. */
export class JobTree extends TreeCopy {
  private readonly client: ZooKeeperClient;
  private readonly root: string;
  private readonly onEvent: (event: ZooKeeperEvent) => void;
  private readonly onFault: (error: Error) => void;
  /** What was read since each reading of everything began. */
  private readonly found = new Set<Set<string>>();
  private readonly reads = new Set<Promise<void>>();
  /** Counts events of each path that is being read: an answer that an event has overtaken is dropped. */
  private readonly turns = new Map<string, number>();
  private stop: () => void = () => {};

  constructor(
    client: ZooKeeperClient,
    root: string,
    onEvent: (event: ZooKeeperEvent) => void,
    onFault: (error: Error) => void,
  ) {
    super();
    this.client = client;
    this.root = root;
    this.onEvent = onEvent;
    this.onFault = onFault;
  }

  /** Begins to watch and reads everything. */
  async open(): Promise<void> {
    this.stop = await this.client.watch(this.root, 'recursive', (event) => this.hear(event));
    await this.load();
  }

  close(): void {
    this.stop();
  }

  /** Resolves when all that happened before the call is in the copy. */
  async settled(): Promise<void> {
    // Events come before the answer of any later request.
    await this.client.exists(this.root);
    while (this.reads.size > 0) await Promise.all(this.reads);
  }

  /** Reads everything again. Entries neither found nor reported meanwhile are gone. */
  private async load(): Promise<void> {
    const found = new Set<string>();
    this.found.add(found);
    try {
      await this.readBelow(this.root);
      for (const path of [...this.nodes.keys()]) if (!found.has(path)) this.drop(path);
    } finally {
      this.found.delete(found);
    }
  }

  private async readBelow(path: string): Promise<void> {
    const [, listed] = await Promise.all([this.read(path), this.client.getChildren(path)]);
    await Promise.all((listed?.names ?? []).map((name) => this.readBelow(`${path}/${name}`)));
  }

  private hear(event: ZooKeeperEvent): void {
    const { type, path } = event;
    if (type === 'deleted') {
      this.turn(path);
      this.drop(path);
      this.onEvent(event);
      return;
    }
    const work = type === 'resync' ? this.load() : this.read(path);
    const read = work
      .then(() => this.onEvent(event))
      .catch((error) => {
        // A lost connection is followed by a resync, a lost session by a new tree.
        if (!isCode(error, 'CONNECTION_LOSS', 'SESSION_EXPIRED')) this.onFault(error as Error);
      })
      .finally(() => this.reads.delete(read));
    this.reads.add(read);
  }

  private async read(path: string): Promise<void> {
    const turn = this.turn(path);
    const answer = await this.client.getData(path);
    if (this.turns.get(path) !== turn) return;
    this.turns.delete(path);
    if (!answer) {
      this.drop(path);
      return;
    }
    this.put(path, answer);
    for (const found of this.found) found.add(path);
  }

  private turn(path: string): number {
    const turn = (this.turns.get(path) ?? 0) + 1;
    this.turns.set(path, turn);
    return turn;
  }
}
