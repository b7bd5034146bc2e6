/** The real `orrery` as a child process, for tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const binary = join(import.meta.dirname, '..', 'bin', 'orrery.mjs');

/** How a call ended and all it printed. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line to its end; `input` is its standard input. */
export async function orrery(args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [binary, ...args]);
  // A command that refuses its arguments ends without reading.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, out, err };
}

/** Runs `preview NAME --batch` over these objects and returns the answers. */
export async function previewBatch(name: string, lines: readonly object[]): Promise<unknown[]> {
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { code, out, err } = await orrery(['preview', name, '--batch'], input);
  if (code !== 0) throw new Error(`preview ${name} --batch ended with ${code}: ${err}`);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
