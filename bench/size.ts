/** Sizes of benchmarks: the full size measures; the smallest (`--smallest`) only shows that a benchmark still runs. */
export const smallest = process.argv.includes('--smallest');

/** Each benchmark says here how large it is, so that all can be shrunk the same way. */
export function bySize<T>(full: T, least: T): T {
  return smallest ? least : full;
}
