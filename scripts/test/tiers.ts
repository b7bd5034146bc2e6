/**
 * What each tier runs, as arguments of Vitest:
 * quick   | core, store on SQLite, master and api | below 90 s
 * landing | all that decides a landing            | below 12 minutes on 2 cores
 * full    | everything: also pictures, long chaos, random properties, every bench at its smallest size
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One Vitest run of the full tier. */
interface Part {
  readonly name: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** How often the property tests run in the full tier, each time with another seed. */
const SEEDS = 3;
/** Tests that run for longer than the quick tier has time. */
const LONG = /\/(simulation|large)\.test\.ts$/;
const root = join(import.meta.dirname, '..', '..');

export function landingTests(): string[] {
  return projects('code', 'processes', 'console');
}

/** Without tests that need PostgreSQL. */
export function quickTests(): string[] {
  return testFiles('packages/{core,store,master,api}/src/**/*.test.ts').filter(
    (file) => !LONG.test(file) && !/\b(testSchema|testDatabase|openPostgres)\b/.test(read(file)),
  );
}

/** In the order in which they run. */
export function fullParts(): Part[] {
  const seed = () => String(Math.floor(Math.random() * 2 ** 31));
  const full = () => ({ ORRERY_TEST_FULL: '1', ORRERY_TEST_SEED: seed() });
  const properties = testFiles('packages/*/src/**/*.test.ts').filter((file) =>
    read(file).includes("'fast-check'"),
  );
  return [
    { name: 'code, with long chaos', args: projects('code', 'processes'), environment: full() },
    { name: 'console', args: projects('console'), environment: full() },
    { name: 'looks', args: projects('looks'), environment: full() },
    ...Array.from({ length: SEEDS }, () => full()).map((environment) => ({
      name: `properties, seed ${environment.ORRERY_TEST_SEED}`,
      args: properties,
      environment,
    })),
    { name: 'benches at their smallest size', args: projects('bench'), environment: full() },
  ];
}

function projects(...names: string[]): string[] {
  return names.flatMap((name) => ['--project', name]);
}

function testFiles(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).sort();
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
