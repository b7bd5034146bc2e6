/** `npm run e2e`: the tests in a real browser alone. Arguments are handed to Vitest (`npm run e2e -- home`). */
import { spawnSync } from 'node:child_process';

if (import.meta.main) {
  const { status } = spawnSync('vitest', ['run', '--project', 'console', ...process.argv.slice(2)], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}
