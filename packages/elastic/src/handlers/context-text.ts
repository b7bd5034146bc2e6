/** A shard's context as JSON, for work outside this process. */
import type { ShardContext } from '../run/context.ts';

/**
 * Our own names, and the six of ElasticJob's `ShardingContext`, so that scripts and services written for it go on
 * working. Pure ASCII: it also travels in a request header.
 */
export function contextText(context: ShardContext): string {
  const { job, namespace, instance, round, cause, shard, total, parameter, jobParameter } = context;
  const { triggerParameter, due, attempt, token } = context;
  const own = { job, namespace, instance, round, cause, shard, total, parameter, jobParameter };
  const java = {
    jobName: job,
    taskId: round,
    shardingTotalCount: total,
    shardingItem: shard,
    shardingParameter: parameter,
  };
  const text = JSON.stringify({ ...own, triggerParameter, due, attempt, token, ...java });
  return text.replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
