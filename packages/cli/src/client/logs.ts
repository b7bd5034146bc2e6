/**
 * `orrery logs`: what a task run printed, and with `-f` what it prints until it has ended. Of a task with shards all are
 * shown, each line with the number of its shard before it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidInput } from '@orrery/core/errors';
import type { AnswerOf, Client } from '@orrery/sdk/client';
import { type Connection, connect } from './connect.ts';
import { Failed } from './failed.ts';
import { PrefixedLines } from './lines.ts';
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
  else await printLogs(client, taskRun, options);
}

async function printLogs(client: Client, taskRun: string, options: LogOptions): Promise<void> {
  const attempts = choose(await attemptsOf(client, taskRun), taskRun, options);
  if (attempts.length === 0) {
    const { why } = await client.explain({ id: taskRun });
    throw new Failed(`${taskRun} has no log yet: it ${why}`);
  }
  const texts: { attempt: string; shard: number | null; state: string; text: string }[] = [];
  for (const attempt of attempts) {
    const lines = new PrefixedLines(process.stdout, prefixOf(attempt, options));
    let text = '';
    await readWhole(client, attempt, (piece) => {
      if (options.json) text += piece;
      else lines.write(piece);
    });
    lines.end();
    texts.push({ attempt: attempt.id, shard: attempt.shard, state: attempt.state, text });
  }
  if (!options.json) return;
  const [{ shard, ...only }] = texts;
  printJson(shard === null || options.shard !== undefined ? only : { shards: texts });
}

async function readWhole(client: Client, { id }: Attempt, take: (piece: string) => void): Promise<void> {
  let offset = 0;
  for (;;) {
    const piece = await client.readLog({ id, offset, limit: 1_048_576 });
    take(piece.text);
    if (piece.source === 'tail') console.error(faint('(the log is gone; this is the end that was kept)'));
    if (piece.done || piece.next === offset) return;
    offset = piece.next;
  }
}

/** Attempt after attempt of each shard, all shards at once, until the task run has ended. */
async function followTaskRun(client: Client, taskRun: string, options: LogOptions): Promise<void> {
  const shown = new Set<string>();
  const open = new Map<Attempt['shard'], Promise<void>>();
  let said: string | undefined;
  let failure: unknown;
  for (;;) {
    if (failure !== undefined) throw failure;
    // Before the attempts: one that came with its end is then among them.
    const { state } = await client.showTaskRun({ id: taskRun });
    const chosen = choose(await attemptsOf(client, taskRun), taskRun, options);
    for (const attempt of chosen.filter(({ id, shard }) => !shown.has(id) && !open.has(shard))) {
      if (attempt.number > 1 && options.attempt === undefined && shown.size > 0)
        console.error(faint(`${prefixOf(attempt, options)}--- attempt ${attempt.number} ---`));
      shown.add(attempt.id);
      const followed = followAttempt(client, attempt, options)
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => open.delete(attempt.shard));
      open.set(attempt.shard, followed);
    }
    if (open.size > 0) {
      await Promise.race([...open.values(), sleep(LOOK_EVERY)]);
      continue;
    }
    if (hasEnded(state) || (options.attempt !== undefined && shown.size > 0)) {
      if (failure !== undefined) throw failure;
      return;
    }
    const { why } = await client.explain({ id: taskRun });
    if (why !== said) console.error(faint(`(${taskRun} ${why})`));
    said = why;
    await sleep(LOOK_EVERY);
  }
}

async function followAttempt(client: Client, attempt: Attempt, options: LogOptions): Promise<void> {
  const lines = new PrefixedLines(process.stdout, prefixOf(attempt, options));
  const { body } = await client.open('readLog', { id: attempt.id, follow: true });
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) lines.write(decoder.decode(bytes, { stream: true }));
  lines.end();
}

async function attemptsOf(client: Client, taskRun: string): Promise<Attempt[]> {
  const all: Attempt[] = [];
  for await (const attempt of client.all.listAttempts({ id: taskRun, limit: 1_000 })) all.push(attempt);
  return all;
}

/** For each requested shard, the requested attempt or else the last one; none if it has none. */
function choose(
  attempts: readonly Attempt[],
  taskRun: string,
  { attempt, shard }: LogOptions,
): readonly Attempt[] {
  const shards = [...new Set(attempts.map((each) => each.shard))].sort((a, b) => (a ?? 0) - (b ?? 0));
  if (shard !== undefined && attempts.length > 0 && !shards.map(String).includes(shard))
    throw new InvalidInput(`${taskRun} has no shard ${shard}; ${shardsText(shards)}`);
  const mine = attempts.filter((each) => shard === undefined || String(each.shard) === shard);
  const found = shards.flatMap(
    (of) =>
      mine.findLast(
        (each) => each.shard === of && (attempt === undefined || String(each.number) === attempt),
      ) ?? [],
  );
  if (found.length > 0 || mine.length === 0 || attempt === undefined) return found;
  const last = Math.max(...mine.map(({ number }) => number));
  throw new InvalidInput(`${taskRun} has no attempt ${attempt}; it has 1 to ${last}`);
}

function prefixOf({ shard }: Attempt, options: LogOptions): string {
  return shard === null || options.shard !== undefined ? '' : `[${shard}] `;
}

function shardsText(shards: readonly Attempt['shard'][]): string {
  const numbers = shards.filter((each) => each !== null);
  return numbers.length === 0 ? 'it has none' : `it has ${numbers[0]} to ${numbers.at(-1)}`;
}
