/** How something ended, as data: for many that are done together and answered one by one. */
export type Settled<T> = { readonly result: T } | { readonly error: unknown };

/** Does something, and says how it ended. */
export function settle<T>(act: () => T): Settled<T> {
  try {
    return { result: act() };
  } catch (error) {
    return { error };
  }
}
