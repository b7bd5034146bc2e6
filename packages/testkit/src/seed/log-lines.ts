/** The output of a made-up attempt: timestamped lines up to its current time. */
import type { Assignment } from '@orrery/wire/frames';
import type { Play } from '../sim-worker.ts';

const EVERY = 1_700;
const doings = [
  'read 2048 rows from orders',
  'wrote batch of 512 rows',
  'checkpoint saved',
  'connection pool: 4 of 10 in use',
  'skipped 3 rows without customer',
  'compressed 12.4 MB to 3.1 MB',
];

/** The lines until a moment; the last line of one that has ended says how. */
export function linesOf(
  assignment: Assignment,
  scene: ReturnType<Play>,
  from: number,
  until: number,
): string[] {
  const { taskName, attempt, shardCount } = assignment;
  const end = from + scene.after;
  const part = attempt.shard < 0 ? '' : `, shard ${attempt.shard} of ${shardCount}`;
  const lines = [line(from, 'INFO', `${taskName} starts${part}`)];
  for (let k = 1; from + k * EVERY < Math.min(end, until); k++)
    lines.push(
      line(from + k * EVERY, k % 7 === 5 ? 'WARN' : 'INFO', doings[(attempt.run + k) % doings.length]),
    );
  if (end > until) return lines;
  if (scene.state === 'failed') lines.push(line(end, 'ERROR', scene.error ?? 'failed'));
  else lines.push(line(end, 'INFO', `${taskName} done`));
  for (const [name, value] of Object.entries(scene.outputs ?? {}))
    lines.push(`\${setValue(${name}=${value})}\n`);
  return lines;
}

function line(at: number, level: string, text: string): string {
  return `${new Date(at).toISOString()} ${level.padEnd(5)} ${text}\n`;
}
