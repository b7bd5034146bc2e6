/**
 * `npm test`: installs missing dependencies, then runs the checks and every test that decides a landing. `npm
 * run test:quick` and `npm run test:full` run less and more. Arguments choose tests by path (`npm test --
 * cron`), without installs and checks. The last line is always `N passed, N failed`.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './check.ts';
import { install } from './services/install.ts';
import { FULL_PROGRAMS, PROGRAMS } from './services.ts';
import { carriers, TEMPORARY } from './test/carriers.ts';
import { problemsOf, readFlakyTests, secondTries, withSecondTries } from './test/flaky.ts';
import { npmAudit } from './test/npm-audit.ts';
import { writeProof } from './test/proof.ts';
import { count, fullName, type PartResult } from './test/report.ts';
import { withServices } from './test/services.ts';
import { fullParts, landingTests, quickTests } from './test/tiers.ts';
import { runVitest } from './test/vitest.ts';

const { tier, args } = parse(process.argv.slice(2));
const temporary = mkdtempSync(join(tmpdir(), 'orrery-test-'));
// A server that a test starts may run under another account.
chmodSync(temporary, 0o755);
const parts: PartResult[] = [];
try {
  await runTier();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  parts.push({ name: 'the run itself', passed: 0, failed: 1, seconds: 0 });
}
const left = leftovers();
if (left.length > 0) parts.push({ name: 'leftovers', passed: 0, failed: left.length, seconds: 0 });
for (const line of left) console.error(line);
rmSync(temporary, { recursive: true, force: true });
if (tier === 'full') writeProof(parts);
const total = (key: 'passed' | 'failed') => parts.reduce((sum, part) => sum + part[key], 0);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exitCode = total('failed') > 0 ? 1 : 0;

async function runTier(): Promise<void> {
  if (args.length > 0) return part('tests', () => tests(args));
  if (tier === 'quick') {
    await part('checks', async () => check(['types', 'biome']));
    return part('tests', () => tests(quickTests(), { ORRERY_TEST_DATABASES: 'sqlite' }));
  }
  await install(tier === 'full' ? FULL_PROGRAMS : PROGRAMS);
  await part('checks', async () => check());
  if (tier === 'full') await part('known faults of packages', async () => auditPackages());
  await withServices(async () => {
    if (tier === 'landing') await part('tests', () => tests(landingTests()));
    else
      for (const { name, args, environment } of fullParts()) await part(name, () => tests(args, environment));
  });
}

function auditPackages() {
  const { lines, ...counts } = npmAudit();
  for (const line of lines) console.error(line);
  return counts;
}

/** Runs tests. Those listed as flaky get a second try; every other failure counts. */
async function tests(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const run = (...args: string[]) => runVitest(args, { ...environment, [TEMPORARY]: temporary });
  const first = await run(...args);
  const flaky = readFlakyTests();
  const problems = problemsOf(flaky, new Date().toISOString().slice(0, 10));
  const tried = secondTries(first.tests, flaky);
  const again = tried.length > 0 ? await run(...new Set(tried.map(({ file }) => file))) : undefined;
  const results = withSecondTries(first.tests, tried, again?.tests ?? []);
  for (const test of results) if (test.state !== 'passed') console.error(`${test.state}: ${fullName(test)}`);
  const faults = [...first.faults, ...problems];
  for (const fault of faults) console.error(`failed: ${fault}`);
  return count({ tests: results, faults });
}

async function part(name: string, work: () => Promise<{ passed: number; failed: number }>): Promise<void> {
  const start = performance.now();
  if (tier === 'full') console.log(`part: ${name}`);
  const { passed, failed } = await work();
  parts.push({ name, passed, failed, seconds: (performance.now() - start) / 1_000 });
}

/** What the tests left behind as a whole: processes, which are killed, and files. */
function leftovers(): string[] {
  const processes = carriers(temporary).map((pid) => {
    process.kill(pid, 'SIGKILL');
    return `failed: process ${pid} outlived the tests`;
  });
  return [...processes, ...readdirSync(temporary).map((file) => `failed: the tests left ${file} behind`)];
}

function parse(given: string[]) {
  const tiers = ['quick', 'full'] as const;
  const tier = tiers.find((name) => given[0] === `--${name}`);
  return { tier: tier ?? ('landing' as const), args: tier ? given.slice(1) : given };
}
