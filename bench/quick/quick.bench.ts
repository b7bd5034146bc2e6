/**
 * Whether ours has become slower, in 20 s of CPU time: ratios to peers on a little work, beside those stored in
 * baseline.json. They are of CPU time, which depends less on what else the machine does. `--accept` stores new ones.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aboutPostgres } from '../engine/databases.ts';
import { compete, cpuOf, type Result, ratioOf, type Work } from '../peers/work.ts';
import { drain, starts, threeSteps } from '../peers/works.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';

export const title = 'ratios to peers on a little work, beside the stored ones';
export const about = aboutPostgres;

const ROUNDS = bySize(3, 1);
/** What a ratio may lose before it is a warning: rounds of CPU time differ by some 5 to 10 %. */
const LOSS = 0.15;
const file = join(import.meta.dirname, 'baseline.json');

export async function run(): Promise<Row[]> {
  const works = [
    only(drain(bySize(6_000, 60)), 'Orrery, runs of 20', 'Orrery, runs of 1', 'graphile-worker, batched'),
    only(threeSteps(bySize(1_000, 8)), 'Orrery', 'DBOS'),
    only(starts(bySize(4_000, 64), 64), 'Orrery', 'graphile-worker'),
  ];
  const baseline: Record<string, number> = JSON.parse(readFileSync(file, 'utf8'));
  const measured: Record<string, number> = {};
  const rows: Row[] = [];
  for (const { id, better, results } of await compete(works, ROUNDS)) {
    const peer = results[results.length - 1];
    for (const ours of results.slice(0, -1)) {
      const what = `${id}: ${ours.name} : ${peer.name}`;
      const value = cpuRatio(ours, peer);
      measured[what] = Math.round(100 * value) / 100;
      const stored = baseline[what];
      const change = stored === undefined ? 'not stored yet' : `stored ${stored.toFixed(2)}`;
      const note = `${change}; by time ${ratioOf(better, ours, peer).toFixed(2)} x; ${ROUNDS} rounds`;
      rows.push({ what, value, unit: 'x by CPU', note });
      if (stored !== undefined && value < stored * (1 - LOSS))
        console.warn(`warning: ${what} fell from ${stored.toFixed(2)} to ${value.toFixed(2)}`);
    }
  }
  if (process.argv.includes('--accept')) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  return rows;
}

function only(work: Work, ...names: readonly string[]): Work {
  return { ...work, contenders: work.contenders.filter(({ name }) => names.includes(name)) };
}

/** How many times the CPU time of ours a peer takes for the same. */
function cpuRatio(ours: Result, peer: Result): number {
  return (cpuOf(peer) ?? Number.NaN) / (cpuOf(ours) ?? Number.NaN);
}
