/**
 * `npm run bench -- [--smallest] SUITE…`: runs the benchmarks of bench/SUITE/*.bench.ts and prints each figure with the
 * machine and versions it was measured on; with --smallest only to see that they run (see size.ts). A benchmark exports `title` and `run()`, which returns its rows, and may
 * export `about()`, which returns a line on the services it uses. One that exports `alone` takes long and runs only when
 * it is asked for by its own name, or by that of its suite where `alone` is that name.
 */
import { globSync, readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** One measured figure: what, how much, and under which configuration. */
export interface Row {
  what: string;
  value: number;
  unit: string;
  note?: string;
}

const here = import.meta.dirname;
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const names = globSync('*/*.bench.ts', { cwd: here })
  .map((file) => `${dirname(file)}/${basename(file, '.bench.ts')}`)
  .sort();
const suites = [...new Set(names.map((name) => dirname(name)))];
const unknown = asked.filter((name) => !suites.includes(name) && !names.includes(name));
if (unknown.length > 0) {
  console.error(`bench: unknown ${unknown.join(', ')}; there are: ${[...suites, ...names].join(', ')}`);
  process.exit(2);
}

console.log(
  `machine: ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}, load ${loadavg()[0].toFixed(1)}`,
);
console.log(`versions: node ${process.version}${peers()}`);
for (const name of names) {
  if (asked.length > 0 && !asked.includes(dirname(name)) && !asked.includes(name)) continue;
  const bench = await import(join(here, `${name}.bench.ts`));
  if (bench.alone && !asked.includes(name) && !asked.includes(bench.alone)) continue;
  console.log(`\n${name}: ${bench.title}`);
  if (bench.about) console.log(`  ${await bench.about()}`);
  const rows: Row[] = await bench.run();
  const width = Math.max(...rows.map((row) => row.what.length));
  for (const row of rows) {
    console.log(
      `  ${row.what.padEnd(width)}  ${figure(row.value).padStart(14)} ${row.unit}${row.note ? `  (${row.note})` : ''}`,
    );
  }
}

function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function peers(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(here, '..', 'package.json'), 'utf8'));
  const names = ['cron-parser', 'croner', 'pg-boss', 'graphile-worker', '@dbos-inc/dbos-sdk'];
  return names.map((name) => `, ${name} ${devDependencies[name]}`).join('');
}
