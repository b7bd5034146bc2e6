/**
 * `npm run looks`: compares every page of the console with its stored picture. `--accept` stores what looks different
 * anew, for whoever changed a page to look at and commit. A name compares those pages alone: `npm run looks -- home`.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { accept: { type: 'boolean' } },
  });
  const chosen = positionals.length > 0 ? ['-t', positionals.join('|')] : [];
  const { status } = spawnSync('vitest', ['run', '--project', 'console', 'e2e/console/looks', ...chosen], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, ...(values.accept && { ORRERY_LOOKS: 'accept' }) },
  });
  process.exitCode = status ?? 1;
}
