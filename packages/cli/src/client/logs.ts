/** `orrery logs`: what a task run printed, and with `-f` what it prints until it has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidInput } from '@orrery/core/errors';
import type { AnswerOf, Client } from '@orrery/sdk/client';
import { type Connection, connect } from './connect.ts';
import { Failed } from './failed.ts';
import { faint, printJson } from './output.ts';
import { hasEnded } from './states.ts';

/** What the command was given. */
export interface LogOptions extends Connection {
  readonly follow?: boolean;
  readonly attempt?: string;
  readonly shard?: string;
  readonly json?: boolean;
}

type Attempt = AnswerOf<'listAttempts'>['attempts'][number];

/** Between two looks at a task run that has no new attempt yet. */
const LOOK_EVERY = 500;

/** Runs the command. */
export async function logs(taskRun: string, options: LogOptions): Promise<void> {
  if (!/^\d+\../.test(taskRun))
    throw new InvalidInput(`"${taskRun}" is not a task run; write RUN.TASK, such as 12.extract`);
  const client = connect(options);
  if (options.follow) await followTaskRun(client, taskRun, options);
  else await printLog(client, taskRun, options);
}

async function printLog(client: Client, taskRun: string, options: LogOptions): Promise<void> {
  const attempt = choose(await attemptsOf(client, taskRun), taskRun, options);
  if (!attempt) {
    const { why } = await client.explain({ id: taskRun });
    throw new Failed(`${taskRun} has no log yet: it ${why}`);
  }
  let all = '';
  let offset = 0;
  for (;;) {
    const piece = await client.readLog({ id: attempt.id, offset, limit: 1_048_576 });
    if (options.json) all += piece.text;
    else process.stdout.write(piece.text);
    if (piece.source === 'tail') console.error(faint('(the log is gone; this is the end that was kept)'));
    if (piece.done || piece.next === offset) break;
    offset = piece.next;
  }
  if (options.json) printJson({ attempt: attempt.id, state: attempt.state, text: all });
}

/** Attempt after attempt, until the task run has ended. */
async function followTaskRun(client: Client, taskRun: string, options: LogOptions): Promise<void> {
  let shown: string | undefined;
  let said: string | undefined;
  for (;;) {
    // Before the attempts: one that came with its end is then among them.
    const { state } = await client.showTaskRun({ id: taskRun });
    const attempt = choose(await attemptsOf(client, taskRun), taskRun, options);
    if (attempt && attempt.id !== shown) {
      if (shown !== undefined) console.error(faint(`--- attempt ${attempt.number} ---`));
      shown = attempt.id;
      const { body } = await client.open('readLog', { id: attempt.id, follow: true });
      for await (const bytes of body ?? []) process.stdout.write(bytes);
      if (options.attempt !== undefined) return;
      continue;
    }
    if (hasEnded(state)) return;
    const { why } = await client.explain({ id: taskRun });
    if (why !== said) console.error(faint(`(${taskRun} ${why})`));
    said = why;
    await sleep(LOOK_EVERY);
  }
}

async function attemptsOf(client: Client, taskRun: string): Promise<Attempt[]> {
  const all: Attempt[] = [];
  for await (const attempt of client.all.listAttempts({ id: taskRun, limit: 1_000 })) all.push(attempt);
  return all;
}

/** The attempt that was asked for, else the last one; undefined while there is none. */
function choose(
  attempts: readonly Attempt[],
  taskRun: string,
  { attempt, shard }: LogOptions,
): Attempt | undefined {
  const shards = [...new Set(attempts.map((each) => each.shard))];
  if (shard === undefined && shards.length > 1)
    throw new InvalidInput(`${taskRun} has ${shards.length} shards; choose one with --shard`);
  if (shard !== undefined && attempts.length > 0 && !shards.map(String).includes(shard))
    throw new InvalidInput(`${taskRun} has no shard ${shard}; ${shardsText(shards)}`);
  const mine = attempts.filter((each) => shard === undefined || String(each.shard) === shard);
  if (attempt === undefined && (shard === undefined || mine.length > 0)) return mine.at(-1);
  const found = mine.find(({ number }) => String(number) === attempt);
  if (found || mine.length === 0) return found;
  throw new InvalidInput(`${taskRun} has no attempt ${attempt}; it has 1 to ${mine.at(-1)?.number}`);
}

function shardsText(shards: readonly Attempt['shard'][]): string {
  const numbers = shards.filter((each) => each !== null).sort((a, b) => a - b);
  return numbers.length === 0 ? 'it has none' : `it has ${numbers[0]} to ${numbers.at(-1)}`;
}
