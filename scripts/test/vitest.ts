/**
 * One run of Vitest in a process group of its own: `running -> over`. It is over when Vitest ends, or when nothing was
 * reported for too long; then the group is killed, and what was reported until then counts.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ReportLine, type Results, readReport } from './report.ts';

/** Longer than any test, hook and its clean-up may take together. */
const SILENCE = 10 * 60_000;
/** How long Vitest may take to end when all tests are over. */
const FAREWELL = 60_000;
const LOOK = 2_000;

/** Runs Vitest with these arguments. */
export async function runVitest(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  silence = SILENCE,
): Promise<Results> {
  const folder = join(import.meta.dirname, '../../.vitest');
  mkdirSync(folder, { recursive: true });
  const report = join(folder, `report-${process.pid}-${++runs}.jsonl`);
  const vitest = spawn('vitest', ['run', ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
    env: { ...process.env, ...environment, ORRERY_TEST_REPORT: report },
  });
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(process.platform === 'win32' ? (vitest.pid ?? 0) : -(vitest.pid ?? 0), signal);
    } catch {
      // It has ended.
    }
  };
  const interrupt = () => kill('SIGINT');
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  let cut: string | undefined;
  const watch = setInterval(() => {
    const patience = isOver(report) ? FAREWELL : silence;
    const last = existsSync(report) ? statSync(report).mtimeMs : started;
    if (cut || Date.now() - Math.max(last, started) < patience) return;
    cut = isOver(report)
      ? `Vitest did not end within ${FAREWELL / 1_000} s after the last test`
      : `no test ended for ${silence / 1_000} s: the run was cut off`;
    kill('SIGKILL');
  }, LOOK);
  const started = Date.now();
  const status = await new Promise<number | null>((resolve, reject) => {
    vitest.once('error', reject);
    vitest.once('exit', resolve);
  }).finally(() => {
    clearInterval(watch);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  });
  kill('SIGKILL');
  const { tests, faults } = readReport(existsSync(report) ? readFileSync(report, 'utf8') : '');
  rmSync(report, { force: true });
  if (cut) return { tests, faults: [...faults, cut] };
  const isTold = faults.length > 0 || tests.some(({ state }) => state !== 'passed');
  return { tests, faults: status === 0 || isTold ? faults : [`Vitest ended with code ${status}`] };
}

let runs = 0;

function isOver(report: string): boolean {
  if (!existsSync(report)) return false;
  const last = readFileSync(report, 'utf8').trimEnd().split('\n').at(-1);
  return !!last && (JSON.parse(last) as ReportLine).type === 'end';
}
