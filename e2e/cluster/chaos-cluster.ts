/**
 * Three masters, three workers and an API as real processes, each behind proxies that the test can cut, on a PostgreSQL
 * and a registry of their own. A process that ends is started again, as a service manager would.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OwnPostgres } from '@orrery/testkit/own-postgres';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { answered, type NodeProcess, TestCluster } from '../../packages/cli/src/server/node-process.ts';
import { OwnServer } from '../../packages/registry/src/testing/servers.ts';
import { etcd } from '../../scripts/services/etcd.ts';
import { zookeeper } from '../../scripts/services/zookeeper.ts';

export const registries = ['postgres', 'zookeeper', 'etcd'] as const;
export type RegistryName = (typeof registries)[number];

export const masters = ['m1', 'm2', 'm3'];
export const workers = ['w1', 'w2', 'w3'];
const API = 'api';

/** Masters are advertised at another loopback address than they listen on: there a proxy is in between. */
const ADVERTISED = '127.0.0.9';
const RESTART_AFTER = 700;
const servers = { zookeeper, etcd };

/** A way between two parties: `m1-store`, `m1-registry`, `m1-peers` (workers and other masters), `api-store`. */
export type LinkName = string;

export class ChaosCluster {
  readonly links = new Map<LinkName, TcpProxy>();
  /** The exits of processes that the test did not kill, with their last output. */
  readonly ends: string[] = [];
  private readonly kind: RegistryName;
  private readonly postgres = new OwnPostgres();
  private readonly server: OwnServer | undefined;
  private readonly nodes = new Map<string, NodeProcess>();
  private readonly lives = new Map<string, NodeProcess[]>();
  private readonly restarts = new Set<Promise<void>>();
  private databaseUrl = '';
  private cluster: TestCluster | undefined;
  private stopping = false;

  constructor(kind: RegistryName) {
    this.kind = kind;
    this.server = kind === 'postgres' ? undefined : new OwnServer(servers[kind]);
  }

  /** The address of the database itself, for the checker. */
  get database(): string {
    return this.databaseUrl;
  }

  get test(): TestCluster {
    if (!this.cluster) throw new Error('it has not started');
    return this.cluster;
  }

  async start(): Promise<void> {
    this.databaseUrl = await this.postgres.start();
    const registryPort = this.server ? await this.server.start() : this.postgresPort;
    this.cluster = new TestCluster(this.databaseUrl, '--join-token', 'hush');
    for (const name of masters) {
      await this.link(`${name}-store`, this.postgresPort);
      await this.link(`${name}-registry`, registryPort);
      const port = await this.cluster.portOf(name);
      this.links.set(`${name}-peers`, await TcpProxy.to(port, port, ADVERTISED));
    }
    await this.link(`${API}-store`, this.postgresPort);
    for (const name of [...masters, ...workers, API]) {
      await this.launch(name);
      await this.node(name).whenReady();
    }
  }

  /** Asks until there is an answer; a refusal is an answer, and fails. */
  insist<T>(ask: () => Promise<T>): Promise<T> {
    const tried = () =>
      ask().catch((error: Error) => {
        if (!/"status":4\d\d/.test(error.message)) throw error;
        return error;
      });
    return answered(tried).then((answer) => {
      if (answer instanceof Error) throw answer;
      return answer;
    });
  }

  node(name: string): NodeProcess {
    const node = this.nodes.get(name);
    if (!node) throw new Error(`there is no node ${name}`);
    return node;
  }

  /** Kills a process; it comes back by itself. */
  kill(name: string): void {
    void this.node(name).end('SIGKILL');
  }

  /** Steps the wall clock of a process; a restart brings it back to the right time. */
  stepClock(name: string, offset: number): void {
    writeFileSync(this.clockFile(name), String(offset));
    this.node(name).notify('SIGUSR2');
  }

  async restartStore(how: 'fast' | 'immediate', away: () => Promise<void>): Promise<void> {
    await this.postgres.stop(how);
    await away();
    await this.postgres.start();
  }

  /** With PostgreSQL as the registry that is the store too. */
  async restartRegistry(away: () => Promise<void>): Promise<void> {
    if (!this.server) return this.restartStore('fast', away);
    await this.server.stop();
    await away();
    await this.server.start();
  }

  /** Writes what each process printed in all its lives to a folder. */
  keepLogs(folder: string): void {
    mkdirSync(folder, { recursive: true });
    for (const [name, lives] of this.lives)
      writeFileSync(
        join(folder, `${name}.log`),
        lives.map(({ printed }) => printed).join('--- started again\n'),
      );
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.nodes.values()].map((node) => node.end('SIGKILL')));
    await Promise.all(this.restarts);
    await this.cluster?.stop();
    await Promise.all([...this.links.values()].map((link) => link.close()));
    await this.server?.remove();
    await this.postgres.remove();
  }

  private get postgresPort(): number {
    return Number(new URL(this.databaseUrl).port);
  }

  private async link(name: LinkName, port: number): Promise<void> {
    this.links.set(name, await TcpProxy.to(port));
  }

  private through(name: LinkName): string {
    return this.links.get(name)?.address ?? '';
  }

  private clockFile(name: string): string {
    return join(this.test.folder, `${name}.clock`);
  }

  private async launch(name: string): Promise<void> {
    const preload = pathToFileURL(join(import.meta.dirname, 'stepped-clock.ts')).href;
    this.test.environment = {
      NODE_OPTIONS: `--import=${preload}`,
      ORRERY_TEST_CLOCK: this.clockFile(name),
    };
    const args = await this.argumentsOf(name);
    if (this.stopping) return;
    const node = this.test.launch('--name', name, ...args);
    this.nodes.set(name, node);
    this.lives.set(name, [...(this.lives.get(name) ?? []), node]);
    const restarted = node.ended().then(async () => {
      if (this.stopping) return;
      if (node.signal === null) this.ends.push(`${name}: ${node.printed.trim().split('\n').at(-1)}`);
      await new Promise((resolve) => setTimeout(resolve, RESTART_AFTER));
      if (!this.stopping) await this.launch(name);
    });
    this.restarts.add(restarted);
    void restarted.finally(() => this.restarts.delete(restarted));
  }

  private async argumentsOf(name: string): Promise<string[]> {
    if (workers.includes(name)) {
      const join = masters.map(async (each) => `${ADVERTISED}:${await this.test.portOf(each)}`);
      const mark = ['--plugin', `${import.meta.dirname}/mark`];
      return ['--role', 'worker', '--slots', '20', ...mark, '--join', (await Promise.all(join)).join()];
    }
    const port = await this.test.portOf(name);
    const url = new URL(this.databaseUrl);
    url.host = this.through(`${name}-store`);
    const store = ['--database', url.href];
    if (name === API) return ['--role', 'api', '--no-token', '--port', String(port), ...store];
    const place = ['--listen', `127.0.0.1:${port}`, '--advertise', ADVERTISED];
    return ['--role', 'master', '--lease', '5s', ...place, ...store, '--registry', this.registryOf(name)];
  }

  private registryOf(master: string): string {
    const address = this.through(`${master}-registry`);
    if (this.kind !== 'postgres') return `${this.kind}://${address}/chaos`;
    const url = new URL(this.databaseUrl);
    url.host = address;
    return url.href;
  }
}
