/** A result or an error as data, for operations done together and answered one by one. */
export type Settled<T> = { readonly result: T } | { readonly error: unknown };

/** Runs a function and captures how it ended. */
export function settle<T>(act: () => T): Settled<T> {
  try {
    return { result: act() };
  } catch (error) {
    return { error };
  }
}
