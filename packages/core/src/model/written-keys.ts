/** Builds the keys of a written file: default, empty and missing values are omitted. */

/** The keys of one object. */
export type Keys = Record<string, unknown>;

/** Undefined for the default value. */
export function unless<T>(usual: T, value: T): T | undefined {
  return value === usual ? undefined : value;
}

/** Undefined for an empty list. */
export function some<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Undefined for an object without keys. */
export function someKeys<T extends object>(keys: T): T | undefined {
  return Object.keys(keys).length > 0 ? keys : undefined;
}

/** Omits undefined keys. */
export function written(keys: Keys): Keys {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined));
}
