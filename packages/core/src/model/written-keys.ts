/** Keys of a file that is written: what is usual, empty or not there is left out. */

/** The keys of one object. */
export type Keys = Record<string, unknown>;

/** Nothing where a value is the usual one. */
export function unless<T>(usual: T, value: T): T | undefined {
  return value === usual ? undefined : value;
}

/** Nothing in place of an empty list. */
export function some<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Nothing in place of an object without keys. */
export function someKeys<T extends object>(keys: T): T | undefined {
  return Object.keys(keys).length > 0 ? keys : undefined;
}

/** Without what is not there. */
export function written(keys: Keys): Keys {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
}
