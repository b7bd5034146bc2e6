/** Processes of a service with jobs, for tests: what they print, line by line, and how they are ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';

export class JobProcess {
  readonly child: ChildProcess;
  /** Lines of JSON, in their order. */
  readonly printed: Record<string, unknown>[] = [];
  readonly errors: string[] = [];
  private readonly ended: Promise<number | null>;

  /** Runs a module with Node, or a command. */
  constructor(command: string | readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const [program, ...args] = typeof command === 'string' ? [process.execPath, command] : command;
    this.child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.child;
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.printed.push(JSON.parse(line)));
    if (stderr) createInterface({ input: stderr }).on('line', (line) => this.errors.push(line));
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
  }

  /** What it printed with this field. */
  having(field: string): Record<string, unknown>[] {
    return this.printed.filter((line) => field in line);
  }

  /** Waits until it has printed this field `count` times. */
  async until(field: string, count = 1): Promise<void> {
    await expect
      .poll(() => this.having(field).length, { timeout: 60_000, message: this.errors.join('\n') })
      .toBeGreaterThanOrEqual(count);
  }

  /** Writes a line to its standard input. */
  tell(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends a signal and waits for the end; the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}
