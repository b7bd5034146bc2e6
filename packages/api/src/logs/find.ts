/** Finds the log of an attempt: at its worker, or the end of it that is stored with the outcome. */

import type { Answer } from '@orrery/contract';
import { type AttemptName, attemptNameText } from '@orrery/core/run';
import { said } from '@orrery/core/texts';
import type { AnyAttempt } from '@orrery/store';
import type { AttemptId } from '@orrery/wire/frames';
import type { Context } from '../context.ts';
import type { LogPiece, LogPlace } from '../options.ts';
import { Refusal } from '../problem.ts';
import { findTaskRun } from '../runs/read.ts';
import { optionalTime } from '../time.ts';

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
  /** Identifies the bytes: facts about them stay true, except that they may grow. */
  readonly key: string;
  /** `tail`: the log itself is gone, this is the end that was kept. */
  readonly source: 'log' | 'tail' | 'none';
  /** How long it is now. */
  readonly size: number;
  /** The group of the processes that the attempt runs now. */
  readonly process: number | null;
  /** Why the log itself is not there. */
  readonly loss: Answer<'readLog'>['loss'];
  read(offset: number, limit: number): Promise<LogPiece>;
}

/** Finds an attempt; an unknown one is refused. */
export async function findLog(context: Context, name: AttemptName): Promise<FoundLog> {
  const { plan, index } = await findTaskRun(context, name);
  const { run, shard, number } = name;
  const id = { run, task: index, shard, number };
  const attempt = await context.store.readAttempt(id);
  if (!attempt) throw new Refusal('not-found', said('none.attempt', { attempt: attemptNameText(name) }));
  const { worker, endedAt } = attempt;
  const place = worker === null ? undefined : { workflow: plan.workflow.name, attempt: id, worker };
  return { id, attempt, place, ended: endedAt !== null };
}

/** Opens the log of an attempt. */
export async function openLog(context: Context, name: AttemptName): Promise<OpenLog> {
  const found = await findLog(context, name);
  const { id, place, ended } = found;
  const text = attemptNameText(name);
  const first = place && (await context.logs.read(place, { offset: 0, limit: 1 }));
  const process = first?.process ?? null;
  if (place && first && first.size > 0) {
    const read = (offset: number, limit: number) => context.logs.read(place, { offset, limit });
    return { ...found, key: `${text} log`, source: 'log', size: first.size, process, loss: null, read };
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
    process,
    loss: first ? await lossOf(context, found, first, tail.length > 0) : null,
    read,
  };
}

/**
 * Why a log is missing. A worker that does not have it reports its retention; a lost worker reports nothing.
 */
async function lossOf(
  { store, clock }: Context,
  { attempt, ended, place }: FoundLog,
  { kept }: LogPiece,
  hadLog: boolean,
): Promise<OpenLog['loss']> {
  if (!kept) {
    const worker = (await store.listWorkers()).find(({ id }) => id === place?.worker);
    return { reason: 'worker-gone', rule: null, seenAt: optionalTime(worker?.beatAt) };
  }
  if (!ended) return null;
  const last = attempt.endedAt ?? 0;
  const expired = (setting: 'keep-logs' | 'max-logs', value: number) =>
    ({ reason: 'expired', rule: { setting, value }, seenAt: null }) as const;
  if (last < clock.now() - kept.age) return expired('keep-logs', kept.age);
  if (last <= kept.removedUntil) return expired('max-logs', kept.most);
  return hadLog ? { reason: 'removed', rule: null, seenAt: null } : null;
}
