/**
 * SQLite on two threads: operations are sent to them by name, so neither a slow disk nor a long read blocks
 * the caller. Each thread: absent -> starting -> open -> (died -> starting with the next operation) ->
 * closed.
 */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { InvalidInput } from '@orrery/core/errors';
import { StoreAway } from './errors.ts';
import { batchOf } from './operations/runs/run-batch.ts';
import { type PackedError, unpackError } from './packed-error.ts';
import type { Store } from './store.ts';

/** Start data of a thread. */
export interface ThreadStart {
  readonly path: string;
  readonly reads: boolean;
}

/** An operation for a thread; `close` ends it. */
export interface ThreadRequest {
  readonly id: number;
  readonly name: string;
  readonly input: readonly unknown[];
}

/** A thread's message: it is open (id 0), or an operation ended. */
export interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: PackedError;
}

/** A database file with its writing and its reading thread. */
export class SqliteThread {
  private readonly writer: Line;
  private readonly reader: Line;

  private constructor(path: string) {
    this.writer = new Line({ path, reads: false });
    this.reader = new Line({ path, reads: true });
  }

  /** Opens or creates the file and migrates its schema. The reading thread starts with the first read. */
  static async open(path: string): Promise<SqliteThread> {
    if (path === ':memory:')
      throw new InvalidInput('a database in memory cannot be shared by threads; name a file');
    const thread = new SqliteThread(path);
    try {
      await thread.writer.open();
    } catch (error) {
      await thread.close();
      throw error;
    }
    return thread;
  }

  /** Runs a writing operation after earlier ones. */
  async write(name: string, input: readonly unknown[]): Promise<unknown> {
    switch (name) {
      case 'commitRuns': {
        const { changes, ...rest } = input[0] as Parameters<Store['commitRuns']>[0];
        return this.writer.ask('commitBatch', [{ ...rest, batch: batchOf(changes, rest.now) }]);
      }
      case 'claimWork':
        return JSON.parse((await this.writer.ask('claimWorkText', input)) as string);
      default:
        return this.writer.ask(name, input);
    }
  }

  /** Runs a reading operation; it sees every write answered before. */
  read(name: string, input: readonly unknown[]): Promise<unknown> {
    return this.reader.ask(name, input);
  }

  async close(): Promise<void> {
    await this.reader.close();
    await this.writer.close();
  }
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** One thread and its operations in flight. */
class Line {
  private readonly start: ThreadStart;
  private worker: Worker | undefined;
  private opening: Promise<void> | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;
  private closed = false;

  constructor(start: ThreadStart) {
    this.start = start;
  }

  /** Starts the thread unless it is running. */
  open(): Promise<void> {
    this.opening ??= new Promise<void>((resolve, reject) => {
      this.waiting.set(0, { resolve: () => resolve(), reject });
      const worker = new Worker(main, { workerData: this.start, env: threadEnvironment() });
      this.worker = worker;
      worker.on('message', (answer: ThreadAnswer) => this.receive(answer));
      worker.on('error', (error) => this.die(worker, error));
      worker.on('exit', () => this.die(worker, new Error('the thread of the database has ended')));
    });
    return this.opening;
  }

  async ask(name: string, input: readonly unknown[]): Promise<unknown> {
    if (this.closed) throw new StoreAway('the store was closed', false);
    await this.open();
    return this.post(name, input);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (!this.worker) return;
    await this.post('close', []).catch(() => {});
    await this.worker?.terminate();
  }

  private post(name: string, input: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      this.waiting.set(id, { resolve, reject });
      this.worker?.postMessage({ id, name, input } satisfies ThreadRequest);
    });
  }

  private receive({ id, result, error }: ThreadAnswer): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waiting?.reject(unpackError(error));
    else waiting?.resolve(result);
  }

  /**
   * The outcome of everything in flight is unknown; the next operation starts a new thread. A thread's death
   * is reported twice.
   */
  private die(worker: Worker, cause: unknown): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.opening = undefined;
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of lost) {
      reject(new StoreAway(`the database is away: ${(cause as Error).message}`, !this.start.reads, cause));
    }
  }
}

/** A thread finds the compile cache only through the environment, which this process may not have used. */
function threadEnvironment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return cache === undefined ? process.env : { NODE_COMPILE_CACHE: dirname(cache), ...process.env };
}

/** The package ships JavaScript; in the working copy the sources run directly. */
const main = import.meta.url.endsWith('.ts')
  ? new URL('./sqlite-thread-main.ts', import.meta.url)
  : new URL('./sqlite-thread-main.js', import.meta.url);
