/** Plans of sharded tasks that are kept from run to run: which shard belongs to which worker. */
import { change, type Operation, row } from '../../operation.ts';

/** The plan that was kept for a task, as JSON. */
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

/** Keeps a plan in place of the one before; of two runs that plan at once the later counts. */
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

/** Forgets a plan: the next run makes another. */
export function* dropShardPlan(input: {
  readonly workflow: number;
  readonly task: string;
}): Operation<boolean> {
  const { workflow, task } = input;
  return (yield* change('DELETE FROM shard_plan WHERE workflow = ?1 AND task = ?2', workflow, task)) > 0;
}
