/**
 * `npm test`: the checks, then every test. Arguments are handed to Vitest (`npm test -- cron`), and then
 * the checks are left out. The last line counts both: `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './check.ts';

const args = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'orrery-test-'));
const report = join(folder, 'report.json');
let { passed, failed } = args.length > 0 ? { passed: 0, failed: 0 } : check();

const vitest = spawnSync(
  'vitest',
  ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  { stdio: 'inherit', shell: process.platform === 'win32' },
);
try {
  const counts = JSON.parse(readFileSync(report, 'utf8'));
  passed += counts.numPassedTests;
  // A file that does not load counts as one failed test; so does a test that was left out.
  failed += counts.numFailedTests + counts.numPendingTests + counts.numTodoTests;
  if (vitest.status !== 0 && counts.numFailedTests === 0) failed++;
} catch {
  failed++;
}
rmSync(folder, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
