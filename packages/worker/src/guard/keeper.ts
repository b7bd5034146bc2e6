/**
 * The worker's handle of its keeper (`keeper-process.ts`). The keeper starts with the first task process, so
 * a worker without processes has none. If it dies while the worker lives, it is restarted.
 * States: none -> running <-> restarting -> closed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@orrery/core/timing';

const RESTART_AFTER = 100;

/** One for each worker process. */
export class Keeper {
  private readonly marks: string;
  private readonly groups: string;
  private readonly clock: Clock;
  private readonly warn: (text: string) => void;
  private process: ChildProcess | undefined;
  private needed = false;
  private leaseEnd = 0;

  /** `marks` is the prefix of the worker's marks, `groups` the folder of its recorded groups. */
  constructor(marks: string, groups: string, clock: Clock, warn: (text: string) => void) {
    this.marks = marks;
    this.groups = groups;
    this.clock = clock;
    this.warn = warn;
  }

  /** Called before a task process starts. */
  require(): void {
    this.needed = true;
    if (!this.process) this.start();
  }

  /** The lease holds for `left` milliseconds from now. */
  extend(left: number): void {
    this.leaseEnd = this.clock.monotonic() + left;
    this.tell();
  }

  /** Whether the lease has run out. A worker that was frozen sees it here before any timer fires. */
  get expired(): boolean {
    return this.clock.monotonic() >= this.leaseEnd;
  }

  /** Lets the keeper exit; it kills everything the worker still runs. */
  close(): void {
    this.needed = false;
    this.process?.stdin?.end();
  }

  private start(): void {
    const script = fileURLToPath(new URL(`./keeper-process${extname(import.meta.url)}`, import.meta.url));
    // In its own session: a signal from the worker's terminal does not end the keeper.
    const keeper = spawn(process.execPath, [script, this.marks, this.groups], {
      // Nothing of the worker's own environment: it may hold tokens.
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.process = keeper;
    // The exit event reports a dead keeper.
    keeper.stdin?.on('error', () => {});
    keeper.on('error', (error) => this.ended(keeper, error.message));
    keeper.on('exit', (code, signal) => this.ended(keeper, signal ?? `exit code ${code}`));
    keeper.unref();
    this.tell();
  }

  private ended(keeper: ChildProcess, why: string): void {
    if (this.process !== keeper) return;
    this.process = undefined;
    if (!this.needed) return;
    this.warn(`the keeper ended (${why}); starting it again`);
    this.clock.setTimer(RESTART_AFTER, () => {
      if (this.needed && !this.process) this.start();
    });
  }

  private tell(): void {
    const left = Math.max(0, Math.ceil(this.leaseEnd - this.clock.monotonic()));
    this.process?.stdin?.write(`${left}\n`);
  }
}
