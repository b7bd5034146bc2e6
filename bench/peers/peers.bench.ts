/**
 * Compares this engine with other systems on the same machine and database, in turns: `npm run bench --
 * peers`. With `--write` it writes the page of docs/benchmarks, with its charts and the figures as JSON.
 */
import { aboutPostgres } from '../engine/databases.ts';
import { range } from '../engine/figures.ts';
import { chain, parallel } from '../engine/load.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { stopRedis, whyNoRedis } from './redis.ts';
import { writeReport } from './report.ts';
import { compete, cpuOf, figureOf, type Outcome, type Work } from './work.ts';
import { drain, alone as runAlone, starts, threeSteps } from './works.ts';

export const title = 'ours and other systems on the same work, in turns';
/** Only when its suite is asked for. */
export const alone = 'peers';
export const about = async () => [await aboutPostgres(), ...leftOut].join('\n  ');

const ROUNDS = bySize(5, 1);
const leftOut = [whyNoRedis()].flatMap((why) => (why === undefined ? [] : [`BullMQ is left out: ${why}`]));

const works: readonly Work[] = [
  drain(bySize(10_000, 60)),
  threeSteps(bySize(2_000, 8)),
  runAlone('chain', 'One chain of 40 tasks, alone', chain(40), bySize(10, 1), 'in a row'),
  runAlone(
    'fan-out',
    'One run of 1,000 tasks that need nothing, alone',
    parallel(1_000),
    bySize(3, 1),
    'at once',
  ),
  starts(bySize(3_000, 64), 64),
];

export async function run(): Promise<Row[]> {
  try {
    const outcomes = await compete(works, ROUNDS);
    if (process.argv.includes('--write')) await writeReport(outcomes, ROUNDS, await about());
    return outcomes.flatMap(rowsOf);
  } finally {
    await stopRedis();
  }
}

function rowsOf({ title, unit, results }: Outcome): Row[] {
  return results.map((result) => {
    const cpu = cpuOf(result);
    const cost = cpu === undefined ? '' : `; ${Math.round(cpu)} µs CPU each`;
    return {
      what: `${title}: ${result.name}`,
      value: figureOf(result),
      unit,
      note: `${range(result.samples.map(({ value }) => value))}${cost}; ${result.settings}`,
    };
  });
}
