/**
 * Identifies an attempt: within its run, in the whole cluster, and by the name that people write.
 * `12.extract` is the task run of task `extract` in run 12; `12.extract.2` its second attempt,
 * `12.extract:0.2` that of shard 0. Task names may contain dots and digits, but no colon.
 */

/** `shard` of an attempt whose task has no shards. */
export const NO_SHARD = -1;

/** An attempt within its run: the index of its task in the workflow, its shard and its number, from 1. */
export interface AttemptKey {
  readonly task: number;
  readonly shard: number;
  readonly number: number;
}

/** An attempt in the whole cluster. */
export interface AttemptId extends AttemptKey {
  readonly run: number;
}

/** A task run by the name of its task. */
export interface TaskRunName {
  readonly run: number;
  readonly task: string;
}

/** An attempt by the name of its task. */
export interface AttemptName extends TaskRunName {
  readonly shard: number;
  readonly number: number;
}

/** An attempt as one text, for maps, logs and file names. */
export function attemptText({ run, task, shard, number }: AttemptId): string {
  return `${run}.${task}${shard === NO_SHARD ? '' : `s${shard}`}.${number}`;
}

/** The name of a task run. */
export function taskRunText({ run, task }: TaskRunName): string {
  return `${run}.${task}`;
}

/** The name of an attempt, as the API and people write it. */
export function attemptNameText({ run, task, shard, number }: AttemptName): string {
  return `${run}.${task}${shard === NO_SHARD ? '' : `:${shard}`}.${number}`;
}

/** A task run as people write it: run, task. */
export const taskRunShape = /^([1-9]\d{0,14})\.([^:/]+)$/;

/** An attempt as people write it: run, task, shard if any, number. */
export const attemptShape = /^([1-9]\d{0,14})\.([^:/]+?)(?::(\d{1,6}))?\.([1-9]\d{0,8})$/;
