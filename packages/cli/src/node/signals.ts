/** How people and supervisors ask a process to end. */

/** Settles with the name of the first signal to stop. A second one ends the process at once. */
export function signalled(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        resolve(signal);
        process.once(signal, () => process.exit(1));
      });
    }
  });
}
