/**
 * What each tier runs, as arguments of Vitest:
 * quick   | core, store on SQLite, master and api | below 90 s
 * landing | all that decides a landing            | below 20 minutes on 2 cores
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
const FULL = { ORRERY_TEST_FULL: '1' };
/** Tests that run for longer than the quick tier has time. */
const LONG = /\/(simulation|large)\.test\.ts$/;
const root = join(import.meta.dirname, '..', '..');

export function landingTests(): string[] {
  return projects('code', 'processes', 'cluster', 'console');
}

/** Without tests that need PostgreSQL. */
export function quickTests(): string[] {
  return testFiles('packages/{core,store,master,api}/src/**/*.test.ts').filter(
    (file) => !LONG.test(file) && !/\b(testSchema|testDatabase|openPostgres)\b/.test(read(file)),
  );
}

/** In the order in which they run. Random tests draw from the seed in the name of their part. */
export function fullParts(): Part[] {
  const properties = testFiles('packages/*/src/**/*.test.ts').filter((file) =>
    read(file).includes("'fast-check'"),
  );
  return [
    random('code', projects('code', 'processes')),
    random('cluster in trouble', projects('cluster')),
    ...Array.from({ length: SEEDS }, () => random('properties', properties)),
    { name: 'console', args: projects('console'), environment: FULL },
    { name: 'pictures', args: projects('looks'), environment: FULL },
    { name: 'benches at their smallest size', args: projects('bench'), environment: FULL },
  ];
}

function random(name: string, args: readonly string[]): Part {
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  return { name: `${name}, seed ${seed}`, args, environment: { ...FULL, ORRERY_TEST_SEED: seed } };
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
