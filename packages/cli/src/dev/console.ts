/**
 * The console for `orrery dev`. An installed package brings it built. In a clone of the repository it is built by a
 * process of its own, once and again when its sources have changed, while the server already answers; until then the
 * build before is served, if there is one.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A console that is there or will be. */
export interface DevConsole {
  /** The folder to serve; undefined while there is none yet. */
  folder(): string | undefined;
  /** Settles when nothing is being built any more; with why not, if that failed. */
  readonly built: Promise<string | undefined>;
  stop(): void;
}

const uiFolder = join(import.meta.dirname, '..', '..', '..', 'ui');

/** The folder of a console that is built already. */
export function builtConsole(ui = uiFolder): string | undefined {
  const dist = join(ui, 'dist');
  return existsSync(join(dist, 'index.html')) ? dist : undefined;
}

/** Finds the console, or begins to build it. */
export function startConsole(ui = uiFolder): DevConsole {
  const folder = () => builtConsole(ui);
  const script = join(ui, 'build.ts');
  if (!existsSync(script)) return { folder, built: Promise.resolve(undefined), stop: () => {} };
  const child = spawn(process.execPath, [script, '--if-changed'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const built = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 || signal !== null ? undefined : said.trim()));
  });
  return { folder, built, stop: () => child.kill() };
}
