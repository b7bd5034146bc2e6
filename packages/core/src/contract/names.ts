/**
 * Names of task runs and attempts: `12.extract` is the task run of task `extract` in run 12; `12.extract.2` its
 * second attempt, `12.extract:0.2` that of shard 0. Names of tasks may contain dots and digits, but no colon.
 */
import { z } from 'zod';
import { NO_SHARD } from '../run/index.ts';

/** A task run by name. */
export interface TaskRunName {
  readonly run: number;
  readonly task: string;
}

/** An attempt by name; `shard` is -1 for a task without shards. */
export interface AttemptName extends TaskRunName {
  readonly shard: number;
  readonly number: number;
}

const runNumber = '([1-9]\\d{0,14})';
const taskRunShape = new RegExp(`^${runNumber}\\.([^:/]+)$`);
const attemptShape = new RegExp(`^${runNumber}\\.([^:/]+?)(?::(\\d{1,6}))?\\.([1-9]\\d{0,8})$`);

/** A task run in a path. */
export const taskRunName = z
  .string()
  .regex(taskRunShape, 'is not a task run; write RUN.TASK, such as 12.extract')
  .transform((text): TaskRunName => {
    const [, run, task] = taskRunShape.exec(text) ?? [];
    return { run: Number(run), task };
  });

/** An attempt in a path. */
export const attemptName = z
  .string()
  .regex(
    attemptShape,
    'is not an attempt; write RUN.TASK.NUMBER or RUN.TASK:SHARD.NUMBER, such as 12.extract.1',
  )
  .transform((text): AttemptName => {
    const [, run, task, shard, number] = attemptShape.exec(text) ?? [];
    return {
      run: Number(run),
      task,
      shard: shard === undefined ? NO_SHARD : Number(shard),
      number: Number(number),
    };
  });

/** The name of a task run. */
export function taskRunText({ run, task }: TaskRunName): string {
  return `${run}.${task}`;
}

/** The name of an attempt. */
export function attemptText({ run, task, shard, number }: AttemptName): string {
  return `${run}.${task}${shard < 0 ? '' : `:${shard}`}.${number}`;
}
