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

/** What the names of variables begin with that carry values into scripts. */
const CARRIER_PREFIX = 'ORRERY_VALUE_';

/**
 * The variable that carries a parameter's value into a shell script, so that no shell parses the value. No two
 * parameters share one: `_` is doubled, and any other character that a variable cannot have is `_` and its number.
 */
export function carrierVariable(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9]/gu, (c) =>
    c === '_' ? '__' : `_u${c.codePointAt(0)?.toString(16)}_`,
  );
  return `${CARRIER_PREFIX}${safe}`;
}
