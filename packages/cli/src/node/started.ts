/** What was started, to be stopped in the reverse order. */

/** Runs `start`; what it has put on the list is stopped again if it fails, else by the `stop` it is answered with. */
export async function startAll<T>(
  start: (started: (() => Promise<void>)[]) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const started: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of started.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start(started)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
