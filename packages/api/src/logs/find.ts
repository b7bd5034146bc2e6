/** The attempt whose log is asked for, and how far it has come. */
import { type AttemptName, attemptText } from '@orrery/core/contract';
import type { AnyAttempt } from '@orrery/store';
import type { AttemptId } from '@orrery/wire/frames';
import type { LogPlace } from '../options.ts';
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
