/** The names of the environment variables by which processes of a task learn what they are part of. */

/** What every process is told. */
export const toldVariables = [
  'ORRERY_PROJECT',
  'ORRERY_WORKFLOW',
  'ORRERY_RUN',
  'ORRERY_TASK',
  'ORRERY_TASK_RUN',
  'ORRERY_ATTEMPT',
  'ORRERY_ATTEMPT_TOKEN',
  'ORRERY_WORK_DIR',
  'ORRERY_OUTPUT',
] as const;

/** What those of a task with shards are told besides. */
export const shardVariables = ['ORRERY_SHARD', 'ORRERY_SHARD_COUNT', 'ORRERY_SHARD_PARAMETER'] as const;

/** The variable that holds a parameter. */
export function parameterVariable(name: string): string {
  return `ORRERY_PARAM_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}
