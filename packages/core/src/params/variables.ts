/** Names of the environment variables that describe a task to its processes. */

/** Set for every process. */
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

/** Additionally set for tasks with shards. */
export const shardVariables = ['ORRERY_SHARD', 'ORRERY_SHARD_COUNT', 'ORRERY_SHARD_PARAMETER'] as const;

/** The variable that holds a parameter. */
export function parameterVariable(name: string): string {
  return `ORRERY_PARAM_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

/** Prefix of variables that carry values into scripts. */
const CARRIER_PREFIX = 'ORRERY_VALUE_';

/**
 * The variable that carries a parameter's value into a shell script, so that no shell parses the value. Names
 * are unique: `_` is doubled, and any other character not allowed in a variable becomes `_` and its number.
 */
export function carrierVariable(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9]/gu, (c) =>
    c === '_' ? '__' : `_u${c.codePointAt(0)?.toString(16)}_`,
  );
  return `${CARRIER_PREFIX}${safe}`;
}
