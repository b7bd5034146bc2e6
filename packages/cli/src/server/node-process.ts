/** A real `orrery server` as a child process, for tests, and a whole cluster of them on one database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownPort } from '../../../../scripts/own-port.ts';

/** This working copy. */
const here = join(import.meta.dirname, '..', '..', '..', '..');

/** A process with some roles. */
export class NodeProcess {
  /** Its output so far. */
  printed = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;

  /** `root` is the working copy whose code it runs, `before` a command that wraps it. */
  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    root = here,
    before: readonly string[] = [],
  ) {
    const binary = join(root, 'packages', 'cli', 'bin', 'orrery.mjs');
    const [command, ...rest] = [...before, process.execPath, binary, 'server', ...args];
    this.child = spawn(command, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
      cwd: root,
    });
    this.exited = once(this.child, 'close');
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (piece) => {
        this.printed += piece;
      });
  }

  /** Starts a process and waits until it reports that it is ready. */
  static start(...args: string[]): Promise<NodeProcess> {
    return new NodeProcess(args).whenReady();
  }

  /** Resolves with the process once it reports that it is ready. */
  async whenReady(): Promise<this> {
    await this.says(/orrery is ready/);
    return this;
  }

  /** Settles when the output matches; rejects when the process ends first. */
  async says(what: RegExp): Promise<void> {
    while (!what.test(this.printed)) {
      if (this.hasEnded) throw new Error(`it ended without saying ${what}: ${this.printed}`);
      await sleep(50);
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Its exit code, once it has ended by itself. */
  async ended(): Promise<number | null> {
    await this.exited;
    return this.child.exitCode;
  }

  /** Freezes it, as a machine does that swaps or is moved, or lets it go on. */
  freeze(frozen: boolean): void {
    this.child.kill(frozen ? 'SIGSTOP' : 'SIGCONT');
  }

  /** The signal that ended it, if one did. */
  get signal(): string | null {
    return this.child.signalCode;
  }

  /** Sends a signal that it handles and survives. */
  notify(signal: 'SIGUSR2'): void {
    this.child.kill(signal);
  }

  /** Sends a signal and waits for the end; the exit code. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }
}

/** The fields of a run that tests read. */
interface RunAnswer {
  readonly id: number;
  readonly state: string;
}

/** Asks until there is an answer: without its database an API has only errors. */
export async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await sleep(50);
    }
  }
}

/** A cluster: each process on ports and in a folder of its own, found again under the same ones after a restart. */
export class TestCluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'orrery-server-'));
  /** The working copy whose code later processes run. */
  root = here;
  /** What they get beside the environment of the test, and the command that starts them if not the system. */
  environment: Readonly<Record<string, string>> = {};
  before: readonly string[] = [];
  private readonly database: string;
  private readonly common: readonly string[];
  private readonly ports = new Map<string, number>();
  private readonly running = new Set<NodeProcess>();

  /** `common` is given to every process. */
  constructor(database: string, ...common: string[]) {
    this.database = database;
    this.common = common;
  }

  async master(name: string, ...args: string[]): Promise<NodeProcess> {
    const listen = `127.0.0.1:${await this.portOf(name)}`;
    const place = ['--name', name, '--database', this.database, '--listen', listen];
    return this.start('--role', 'master', ...place, ...args);
  }

  /** Starts a worker that knows only some masters. */
  async worker(name: string, ...masters: string[]): Promise<NodeProcess> {
    const addresses = await Promise.all(masters.map(async (each) => `127.0.0.1:${await this.portOf(each)}`));
    return this.start('--role', 'worker', '--name', name, '--join', addresses.join(), '--slots', '20');
  }

  async api(name = 'api'): Promise<NodeProcess> {
    const port = String(await this.portOf(name));
    const args = ['--role', 'api', '--name', name, '--no-token', '--database', this.database, '--port', port];
    return this.start(...args);
  }

  /** Starts a process with these arguments beside those of all, and waits until it is ready. */
  start(...args: string[]): Promise<NodeProcess> {
    return this.launch(...args).whenReady();
  }

  /** The same without waiting. */
  launch(...args: string[]): NodeProcess {
    const name = args[args.indexOf('--name') + 1];
    const all = [...args, '--data', join(this.folder, name), ...this.common];
    const started = new NodeProcess(all, this.environment, this.root, this.before);
    this.running.add(started);
    return started;
  }

  async portOf(name: string): Promise<number> {
    const port = this.ports.get(name) ?? (await ownPort());
    this.ports.set(name, port);
    return port;
  }

  async url(name = 'api'): Promise<string> {
    return `http://127.0.0.1:${await this.portOf(name)}`;
  }

  /** Publishes a workflow file. */
  async publish(source: string): Promise<void> {
    await this.call('/workflows', {
      method: 'POST',
      headers: { 'content-type': 'application/yaml' },
      body: source,
    });
  }

  /** Starts a run, or with a key used before finds it; its id. */
  async run(workflow: string, key?: string): Promise<number> {
    const body = JSON.stringify({ workflow });
    const answer = await this.call('/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
      body,
    });
    return (answer as RunAnswer).id;
  }

  /** The state in which a run ended. */
  async endOf(run: number): Promise<string> {
    for (;;) {
      const { state } = (await this.call(`/runs/${run}`)) as RunAnswer;
      if (['success', 'failed', 'stopped'].includes(state)) return state;
      await sleep(100);
    }
  }

  /** The log of an attempt as the API shows it, once that is something. */
  async log(
    attempt: string,
    until: (log: { text: string; source: string }) => boolean,
  ): Promise<{ text: string; source: string }> {
    for (;;) {
      const log = (await this.call(`/attempts/${attempt}/log`).catch(() => undefined)) as
        | { text: string; source: string }
        | undefined;
      if (log && until(log)) return log;
      await sleep(100);
    }
  }

  async call(path: string, init?: RequestInit): Promise<unknown> {
    const answer = await fetch(`${await this.url()}/api/v1${path}`, init);
    const body = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  }

  /** Ends everything. */
  async stop(): Promise<void> {
    await Promise.all([...this.running].map((each) => each.end('SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
