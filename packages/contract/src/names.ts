/** Task runs and attempts in paths. */
import {
  type AttemptName,
  attemptShape,
  NO_SHARD,
  type TaskRunName,
  taskRunShape,
} from '@orrery/core/run/attempt';
import { z } from 'zod';

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
