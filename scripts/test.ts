/**
 * `npm test`: the checks, then every test. Arguments are handed to Vitest (`npm test -- cron`), and then
 * the checks are left out. Tests here kill processes and drive browsers, beside each other: files of which a test
 * failed are run once more without the others, and what failed only beside them is told by name, for it is a fault to
 * be found too. The last line counts checks and tests: `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { check } from './check.ts';
import { count, type FileResult, failedIn, merge } from './test-report.ts';

/** More files than this do not fail by chance. */
const BY_CHANCE = 3;

const args = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'orrery-test-'));

/** Runs tests; undefined when Vitest did not come so far as to report. */
function run(...args: string[]): { ok: boolean; files: FileResult[] } | undefined {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const { status } = spawnSync(
    'vitest',
    ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    { stdio: 'inherit', shell: process.platform === 'win32' },
  );
  try {
    return { ok: status === 0, files: JSON.parse(readFileSync(report, 'utf8')).testResults };
  } catch {
    return undefined;
  }
}

let { passed, failed } = args.length > 0 ? { passed: 0, failed: 0 } : check();
const first = run(...args);
const fell = failedIn(first?.files ?? []);
const again = args.length === 0 && fell.length > 0 && fell.length <= BY_CHANCE ? run(...fell) : undefined;
const { files, byChance } = merge(first?.files ?? [], again?.files ?? []);
const counts = count(files);
passed += counts.passed;
failed += counts.failed;
// Something went wrong outside of every test.
if (!(again ?? first)?.ok && counts.failed === 0) failed++;
rmSync(folder, { recursive: true });
for (const test of byChance)
  console.log(`failed beside other tests, passed without them: ${relative(process.cwd(), test)}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
