/**
 * The pipe that a task writes its output to. The pipes that Node makes are sockets, and a socket cannot be opened by
 * name: a script that writes to `/dev/stdout` or `/dev/stderr` would fail (ENXIO). So a task gets a FIFO, whose name is
 * gone before the task starts. Several are made at once, since each making costs a process.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, fchmodSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** FIFOs made at once. */
const BATCH = 16;

/** Where the FIFOs of a worker are until a task gets one. */
export function pipesFolder(folder: string): string {
  return join(folder, 'pipes');
}

/** The worker's end, and the descriptor of the task's end: to be closed once the task has it. */
export interface OutputPipe {
  readonly output: Socket;
  readonly end: number;
}

/** Keeps some FIFOs in a folder that only the worker can enter. */
export class OutputPipes {
  private readonly folder: string;
  private readonly made: string[] = [];
  private making: Promise<void> | undefined;
  private count = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Opens one; undefined where none can be made: then the task gets a socket, and its output arrives all the same. */
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
    // Of an earlier life; that one opens no more.
    if (this.count === 0)
      for (const name of readdirSync(this.folder)) rmSync(join(this.folder, name), { force: true });
    const names = Array.from({ length: BATCH }, () => join(this.folder, `output-${this.count++}`));
    await promisify(execFile)('mkfifo', ['-m', '600', ...names]);
    this.made.push(...names);
  }
}

/** The reading end comes first and does not wait; then the writing end, which a task expects to wait, opens at once. */
function openBoth(name: string): OutputPipe {
  const opened: number[] = [];
  try {
    opened.push(openSync(name, constants.O_RDONLY | constants.O_NONBLOCK));
    opened.push(openSync(name, constants.O_WRONLY));
    const [fd, end] = opened;
    // A task of another user may open what it writes to by name too, as with a terminal.
    fchmodSync(fd, 0o622);
    return { output: new Socket({ fd, readable: true, writable: false }), end };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw error;
  } finally {
    rmSync(name, { force: true });
  }
}
