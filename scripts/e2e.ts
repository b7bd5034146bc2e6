/**
 * `npm run e2e`: only the tests in a real browser; `npm run e2e -- cluster`: a cluster of real processes
 * under faults; `npm run e2e -- security`: attacks on a real server.
 * Further arguments are passed to Vitest (`npm run e2e -- home`).
 */
import { spawnSync } from 'node:child_process';

if (import.meta.main) {
  const [first, ...rest] = process.argv.slice(2);
  const args = ['cluster', 'security'].includes(first)
    ? ['cluster', `e2e/${first}`, ...rest]
    : ['console', ...process.argv.slice(2)];
  const { status } = spawnSync('vitest', ['run', '--project', ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}
