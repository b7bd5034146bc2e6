/** Sizes of benchmarks: the full size measures; the smallest (`--smallest`) only shows that a benchmark still runs. */
export const smallest = process.argv.includes('--smallest');

/** Every benchmark takes its size from here, so that all can be shrunk the same way. */
export function bySize<T>(full: T, least: T): T {
  return smallest ? least : full;
}
