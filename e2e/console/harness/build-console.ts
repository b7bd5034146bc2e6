/** Before the browser tests: the console as it would be served, built if a source has changed. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ui = join(import.meta.dirname, '..', '..', '..', 'packages', 'ui');

/** Called by Vitest once, before the first test. */
export function setup(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ui, 'build.ts'), '--if-changed'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the console does not build:\n${stderr}`);
}
