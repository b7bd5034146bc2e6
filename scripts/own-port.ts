/** Ports for servers of tests that are ended and started again at the same address. */
import { createServer } from 'node:net';

const [FIRST, COUNT] = [12_000, 16_000];

/**
 * A free port below the range that systems assign, so that a server that was killed finds it free again,
 * although other connections open all the time, many of them to that very port.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

/** Whether no process listens on it. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
