/** Pools of output values, passed from task to task and from a sub-workflow to its parent. */

/** Values by name. */
export type ValuePool = Readonly<Record<string, string>>;

/** Merges pools; a later pool overrides an earlier one. */
export function mergePools(pools: readonly ValuePool[]): Record<string, string> {
  return Object.fromEntries(pools.flatMap((pool) => Object.entries(pool)));
}

/** A pool without the names of other pools. */
export function subtractPools(pool: ValuePool, minus: readonly ValuePool[]): Record<string, string> {
  const names = new Set(minus.flatMap((other) => Object.keys(other)));
  return Object.fromEntries(Object.entries(pool).filter(([name]) => !names.has(name)));
}
