/** Runs the command of a script job in a process group of its own, so that it can be ended with all it started. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Command } from '@orrery/elastic';

/** How long a command may take to end after it was asked to. */
const GRACE = 5_000;

/** Resolves with the exit code, or with the name of the signal that ended the command. */
export function runCommand({
  line,
  argument,
  environment,
  signal,
  onLine,
}: Command): Promise<number | string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // The argument is no part of the text that the shell reads: nothing in it is ever run.
    const child = spawn('/bin/sh', ['-c', `${line} "$@"`, 'sh', argument], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let killing: NodeJS.Timeout | undefined;
    const end = () => {
      killGroup(child.pid, 'SIGTERM');
      killing = setTimeout(() => killGroup(child.pid, 'SIGKILL'), GRACE);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
    signal.addEventListener('abort', end, { once: true });
    const done = () => {
      clearTimeout(killing);
      signal.removeEventListener('abort', end);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code, name) => {
      done();
      resolve(code ?? name ?? 'unknown');
    });
  });
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
