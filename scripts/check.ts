/**
 * What a machine can say about the code without running it: types, lint and format, dead code, layers, callers.
 * Prints one line a check, and the whole output of those that fail.
 */
import { spawnSync } from 'node:child_process';

const checks: readonly [name: string, command: string, ...args: string[]][] = [
  ['types', 'tsc', '--noEmit', '-p', '.'],
  ['types of the console', 'tsc', '--noEmit', '-p', 'packages/ui'],
  ['biome', 'biome', 'check', '--error-on-warnings', '.'],
  ['knip', 'knip', '--no-progress'],
  ['layers', 'node', 'scripts/layers.ts'],
  ['callers', 'node', 'scripts/callers.ts'],
];

/** Runs the named checks, by default all, and returns how many passed and failed. */
export function check(names = checks.map(([name]) => name)): { passed: number; failed: number } {
  let failed = 0;
  for (const [name, command, ...args] of checks.filter(([name]) => names.includes(name))) {
    const result = spawnSync(command, args, { encoding: 'utf8', shell: process.platform === 'win32' });
    if (result.status === 0) {
      console.log(`check ${name}: ok`);
      continue;
    }
    failed++;
    console.error(`check ${name}: failed\n${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}`);
  }
  return { passed: names.length - failed, failed };
}

if (import.meta.main) process.exitCode = check().failed > 0 ? 1 : 0;
