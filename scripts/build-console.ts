/** Builds the console if a source has changed since; for tests, pictures and benchmarks. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ui = join(import.meta.dirname, '..', 'packages', 'ui');

/** Builds it and answers its folder. */
export function buildConsole(): string {
  const { status, stderr } = spawnSync(process.execPath, [join(ui, 'build.ts'), '--if-changed'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the console does not build:\n${stderr}`);
  return join(ui, 'dist');
}
