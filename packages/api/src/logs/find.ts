/** The log of an attempt, wherever it is: with its worker, or the end of it that was kept with the outcome. */
import { type AttemptName, attemptText } from '@orrery/core/contract';
import type { AnyAttempt } from '@orrery/store';
import type { AttemptId } from '@orrery/wire/frames';
import type { LogPiece, LogPlace } from '../options.ts';
import { Refusal } from '../problem.ts';
import { findTaskRun } from '../runs/read.ts';
import type { Context } from '../server.ts';

/** An attempt and where its log is; in the queue it has none yet. */
export interface FoundLog {
  readonly id: AttemptId;
  readonly attempt: AnyAttempt;
  readonly place: LogPlace | undefined;
  /** Nothing is written any more. */
  readonly ended: boolean;
}

/** A log that can be read by bytes. */
export interface OpenLog extends FoundLog {
  /** Names its bytes: what is known of them stays true, but that they may grow. */
  readonly key: string;
  /** `tail`: the log itself is gone, this is the end that was kept. */
  readonly source: 'log' | 'tail' | 'none';
  /** How long it is now. */
  readonly size: number;
  read(offset: number, limit: number): Promise<LogPiece>;
}

/** Finds an attempt; an unknown one is refused. */
export async function findLog(context: Context, name: AttemptName): Promise<FoundLog> {
  const { plan, index } = await findTaskRun(context, name);
  const { run, shard, number } = name;
  const id = { run, task: index, shard, number };
  const attempt = await context.store.readAttempt(id);
  if (!attempt) throw new Refusal('not-found', `there is no attempt ${attemptText(name)}`);
  const { worker, endedAt } = attempt;
  const place = worker === null ? undefined : { workflow: plan.workflow.name, attempt: id, worker };
  return { id, attempt, place, ended: endedAt !== null };
}

/** Opens the log of an attempt. */
export async function openLog(context: Context, name: AttemptName): Promise<OpenLog> {
  const found = await findLog(context, name);
  const { id, place, ended } = found;
  const text = attemptText(name);
  const { size } = (place && (await context.logs.read(place, { offset: 0, limit: 1 }))) ?? { size: 0 };
  if (place && size > 0) {
    const read = (offset: number, limit: number) => context.logs.read(place, { offset, limit });
    return { ...found, key: `${text} log`, source: 'log', size, read };
  }
  const tail = Buffer.from((ended && (await context.store.readLogTail(id))) || '');
  const read = async (offset: number, limit: number) => {
    const bytes = tail.subarray(offset, offset + limit);
    return { bytes, next: offset + bytes.length, size: tail.length };
  };
  return {
    ...found,
    key: `${text} tail`,
    source: tail.length > 0 ? 'tail' : 'none',
    size: tail.length,
    read,
  };
}
