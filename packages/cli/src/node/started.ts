/** What was started, to be stopped in the reverse order. */

/** Runs `start`; what it has put on the list is stopped again if it fails, else by the `stop` it is answered with. */
export async function startAll<T>(
  start: (started: (() => Promise<void>)[]) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const started: (() => Promise<void>)[] = [];
  // A part that fails to stop, such as when the database is away, must not prevent the rest from stopping:
  // the process would hang.
  const stop = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const end of started.splice(0).reverse()) await end().catch((error) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  };
  try {
    return { ...(await start(started)), stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}
