/** The table of a full run, printed and kept in docs/operate/proof.md. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { PartResult } from './report.ts';

const PAGE = join(import.meta.dirname, '../../docs/operate/proof.md');
const BEGIN = '<!-- the last full run -->\n';
const END = '<!-- end -->';

/** Prints the table and puts it in its place on the page. */
export function writeProof(parts: readonly PartResult[]): void {
  const table = tableOf(parts, new Date().toISOString().slice(0, 10), commit());
  console.log(table);
  const page = readFileSync(PAGE, 'utf8');
  const [before] = page.split(BEGIN);
  const after = page.slice(page.indexOf(END));
  writeFileSync(PAGE, `${before}${BEGIN}${table}${after}`);
}

function tableOf(parts: readonly PartResult[], day: string, commit: string): string {
  const machine = `${availableParallelism()} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const rows = parts.map(
    ({ name, passed, failed, seconds }) => `| ${name} | ${passed} | ${failed} | ${seconds.toFixed(0)} |`,
  );
  return [
    `${day}, commit ${commit}, Node ${process.versions.node}, ${machine}:`,
    '',
    '| part | passed | failed | seconds |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
