/**
 * `npm run looks`: compares every loaded page of the console with its stored picture, and leaves pictures of all other
 * states, widths and languages in `.vitest/looks`. `--accept` stores those that differ. Names choose pages:
 * `npm run looks -- home`.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { accept: { type: 'boolean' } },
  });
  const chosen = positionals.length > 0 ? ['-t', positionals.join('|')] : [];
  const tests = values.accept ? 'e2e/console/looks.test.ts' : 'e2e/console/looks';
  const { status } = spawnSync('vitest', ['run', tests, ...chosen], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, ...(values.accept && { ORRERY_LOOKS: 'accept' }) },
  });
  process.exitCode = status ?? 1;
}
