/** Ends what runs on a server. A request that gets there before the statement does finds nothing to end, so it is repeated. */

const BETWEEN = 500;
const MOST = 20;

/** Asks until `running`, which never fails, has settled; false where it goes on all the same. */
export async function cancelUntilOver(
  running: Promise<unknown>,
  ask: () => Promise<unknown>,
): Promise<boolean> {
  for (let asked = 0; asked < MOST; asked++) {
    await ask();
    if (await settles(running, BETWEEN)) return true;
  }
  return false;
}

/** Whether a promise that never fails settles within this time. */
export function settles(promise: Promise<unknown>, within: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), within);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
