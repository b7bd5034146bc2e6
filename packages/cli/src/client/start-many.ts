/** `orrery runs start -f FILE`: starts many runs, one JSON object a line; each is answered by itself. */
import { readFileSync } from 'node:fs';
import { InvalidInput } from '@orrery/core/errors';
import type { InputOf } from '@orrery/sdk/client';
import { type Connection, connect } from './connect.ts';
import { printJson, stateText } from './output.ts';

type Start = InputOf<'startRuns'>['body']['runs'][number];

/** Starts in one request. */
const MOST = 1_000;

/** Runs the command; `-` is standard input. */
export async function startMany(options: Connection & { file: string; json?: boolean }): Promise<void> {
  const starts = readStarts(options.file);
  const client = connect(options);
  let refused = 0;
  for (let first = 0; first < starts.length; first += MOST) {
    const runs = starts.slice(first, first + MOST);
    const { results } = await client.startRuns({ body: { runs } });
    for (const [k, result] of results.entries()) {
      const line = first + k + 1;
      if ('problem' in result) refused++;
      if (options.json) printJson({ line, ...result });
      else if ('problem' in result) console.error(`start ${line}: ${result.problem.detail}`);
      else console.log(`start ${line}: run ${result.id} ${stateText(result.state)}`);
    }
  }
  if (refused > 0) process.exitCode = 1;
}

function readStarts(file: string): Start[] {
  const lines = readFileSync(file === '-' ? 0 : file, 'utf8').split('\n');
  const starts = lines.flatMap((line, k): Start[] => {
    if (line.trim() === '') return [];
    try {
      return [{ trigger: 'manual', ...JSON.parse(line) }];
    } catch (error) {
      throw new InvalidInput(`line ${k + 1} of ${file} is not a JSON object: ${(error as Error).message}`);
    }
  });
  if (starts.length === 0) throw new InvalidInput(`${file} has no start: write one JSON object a line`);
  return starts;
}
