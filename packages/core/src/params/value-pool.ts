/** Pools of output values, as they travel from task to task and from a sub-workflow to its parent. */

/** Values by name. */
export type ValuePool = Readonly<Record<string, string>>;

/** All values of several pools; a later pool overrides an earlier one. */
export function mergePools(pools: readonly ValuePool[]): Record<string, string> {
  return Object.fromEntries(pools.flatMap((pool) => Object.entries(pool)));
}

/** A pool without the names that other pools hold. */
export function subtractPools(pool: ValuePool, minus: readonly ValuePool[]): Record<string, string> {
  const names = new Set(minus.flatMap((other) => Object.keys(other)));
  return Object.fromEntries(Object.entries(pool).filter(([name]) => !names.has(name)));
}
