/** Shard plans kept from run to run: the worker of each shard. */
import { change, type Operation, row } from '../../operation.ts';

/** The stored plan of a task, as JSON. */
export function* readShardPlan(input: {
  readonly workflow: number;
  readonly task: string;
}): Operation<string | undefined> {
  const found = yield* row<{ body: string }>(
    'SELECT body FROM shard_plan WHERE workflow = ?1 AND task = ?2',
    input.workflow,
    input.task,
  );
  return found?.body;
}

/** Replaces the stored plan; of two runs that plan at once, the later one wins. */
export function* keepShardPlan(input: {
  readonly workflow: number;
  readonly task: string;
  readonly body: string;
}): Operation<void> {
  yield* change(
    `INSERT INTO shard_plan (workflow, task, body) VALUES (?1, ?2, ?3)
     ON CONFLICT (workflow, task) DO UPDATE SET body = excluded.body`,
    input.workflow,
    input.task,
    input.body,
  );
}

/** Deletes a plan: the next run makes another. */
export function* dropShardPlan(input: {
  readonly workflow: number;
  readonly task: string;
}): Operation<boolean> {
  const { workflow, task } = input;
  return (yield* change('DELETE FROM shard_plan WHERE workflow = ?1 AND task = ?2', workflow, task)) > 0;
}
