/** `orrery logs`: what a task run printed, and with `-f` what it prints until it has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidInput } from '@orrery/core/errors';
import { ApiClient, type Connection } from './api-client.ts';
import { Failed } from './failed.ts';
import { faint, printJson } from './output.ts';
import { type AttemptRow, endedTaskStates, type TaskRow, type Why } from './shapes.ts';

/** What the command was given. */
export interface LogOptions extends Connection {
  readonly follow?: boolean;
  readonly attempt?: string;
  readonly shard?: string;
  readonly json?: boolean;
}

interface Piece {
  readonly text: string;
  readonly next: number;
  readonly done: boolean;
  readonly source: string;
}

/** Between two looks at a task run that has no new attempt yet. */
const LOOK_EVERY = 500;

/** Runs the command. */
export async function logs(taskRun: string, options: LogOptions): Promise<void> {
  if (!/^\d+\../.test(taskRun))
    throw new InvalidInput(`"${taskRun}" is not a task run; write RUN.TASK, such as 12.extract`);
  const api = new ApiClient(options);
  if (options.follow) await followTaskRun(api, taskRun, options);
  else await printLog(api, taskRun, options);
}

async function printLog(api: ApiClient, taskRun: string, options: LogOptions): Promise<void> {
  const attempt = choose(await attemptsOf(api, taskRun), taskRun, options);
  if (!attempt) {
    const { why } = await api.get<Why>(`/why/${encodeURIComponent(taskRun)}`);
    throw new Failed(`${taskRun} has no log yet: it ${why}`);
  }
  const path = `/attempts/${encodeURIComponent(attempt.id)}/log`;
  let all = '';
  let offset = 0;
  for (;;) {
    const piece = await api.get<Piece>(`${path}?offset=${offset}&limit=1048576`);
    if (options.json) all += piece.text;
    else process.stdout.write(piece.text);
    if (piece.source === 'tail') console.error(faint('(the log is gone; this is the end that was kept)'));
    if (piece.done || piece.next === offset) break;
    offset = piece.next;
  }
  if (options.json) printJson({ attempt: attempt.id, state: attempt.state, text: all });
}

/** Attempt after attempt, until the task run has ended. */
async function followTaskRun(api: ApiClient, taskRun: string, options: LogOptions): Promise<void> {
  let shown: string | undefined;
  let said: string | undefined;
  for (;;) {
    // Before the attempts: one that came with its end is then among them.
    const { state } = await api.get<Pick<TaskRow, 'state'>>(`/task-runs/${encodeURIComponent(taskRun)}`);
    const attempt = choose(await attemptsOf(api, taskRun), taskRun, options);
    if (attempt && attempt.id !== shown) {
      if (shown !== undefined) console.error(faint(`--- attempt ${attempt.number} ---`));
      shown = attempt.id;
      for await (const bytes of await api.stream(
        `/attempts/${encodeURIComponent(attempt.id)}/log?follow=true`,
      ))
        process.stdout.write(bytes);
      if (options.attempt !== undefined) return;
      continue;
    }
    if (endedTaskStates.includes(state)) return;
    const { why } = await api.get<Why>(`/why/${encodeURIComponent(taskRun)}`);
    if (why !== said) console.error(faint(`(${taskRun} ${why})`));
    said = why;
    await sleep(LOOK_EVERY);
  }
}

async function attemptsOf(api: ApiClient, taskRun: string): Promise<AttemptRow[]> {
  const all: AttemptRow[] = [];
  let next: string | null = `/task-runs/${encodeURIComponent(taskRun)}/attempts?limit=1000`;
  while (next !== null) {
    const page: { attempts: AttemptRow[]; next: string | null } = await api.get(
      next.replace(/^\/api\/v1/, ''),
    );
    all.push(...page.attempts);
    next = page.next;
  }
  return all;
}

/** The attempt that was asked for, else the last one; undefined while there is none. */
function choose(
  attempts: readonly AttemptRow[],
  taskRun: string,
  { attempt, shard }: LogOptions,
): AttemptRow | undefined {
  const shards = [...new Set(attempts.map((each) => each.shard))];
  if (shard === undefined && shards.length > 1)
    throw new InvalidInput(`${taskRun} has ${shards.length} shards; choose one with --shard`);
  const mine = attempts.filter((each) => shard === undefined || String(each.shard) === shard);
  if (attempt === undefined && (shard === undefined || mine.length > 0)) return mine.at(-1);
  const found = mine.find(({ number }) => String(number) === attempt);
  if (found || mine.length === 0) return found;
  throw new InvalidInput(`${taskRun} has no attempt ${attempt}; it has 1 to ${mine.at(-1)?.number}`);
}
