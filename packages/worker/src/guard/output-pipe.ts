/**
 * The pipe that a task writes its output to. Node's pipes are sockets, and a socket cannot be opened by name:
 * a script that writes to `/dev/stdout` or `/dev/stderr` would fail (ENXIO). So a task gets a FIFO, whose
 * name is removed before the task starts. FIFOs are created in batches, since each batch costs a process.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, fchmodSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** FIFOs created at once. */
const BATCH = 16;

/** The folder of FIFOs that no task has yet. */
export function pipesFolder(folder: string): string {
  return join(folder, 'pipes');
}

/** The worker's end, and the descriptor of the task's end: to be closed once the task has it. */
export interface OutputPipe {
  readonly output: Socket;
  readonly end: number;
}

/** Keeps a stock of FIFOs in a folder that only the worker can enter. */
export class OutputPipes {
  private readonly folder: string;
  private readonly made: string[] = [];
  private making: Promise<void> | undefined;
  private count = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Opens a FIFO; undefined if none can be created. The task then gets a socket, and its output still
   * arrives.
   */
  async open(): Promise<OutputPipe | undefined> {
    try {
      while (this.made.length === 0) await this.make();
      return openBoth(this.made.pop() as string);
    } catch {
      return undefined;
    }
  }

  private make(): Promise<void> {
    this.making ??= this.makeSome().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  private async makeSome(): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    // Left by an earlier worker, which opens no more.
    if (this.count === 0)
      for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { force: true });
    const names = Array.from({ length: BATCH }, () => join(this.folder, `output-${this.count++}`));
    await promisify(execFile)('mkfifo', ['-m', '600', ...names]);
    this.made.push(...names);
  }
}

/**
 * The reading end opens first, without blocking. The writing end, which must block for the task, then opens
 * at once.
 */
function openBoth(name: string): OutputPipe {
  const opened: number[] = [];
  try {
    opened.push(openSync(name, constants.O_RDONLY | constants.O_NONBLOCK));
    opened.push(openSync(name, constants.O_WRONLY));
    const [fd, end] = opened;
    // A task of another user may reopen its output by name, as with a terminal.
    fchmodSync(fd, 0o622);
    return { output: new Socket({ fd, readable: true, writable: false }), end };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw error;
  } finally {
    rmSync(name, { force: true });
  }
}
