/**
 * The keeper: a small process beside a worker. Each line of its input says how many milliseconds the worker's
 * lease holds from now. When the lease expires, it kills the attempts that may not outlive it, even if the
 * worker is frozen and cannot. When its input closes, the worker is gone: it kills everything and exits.
 */
import { marksWithoutKeep } from './guard-mark.ts';
import { killAll, killOnce } from './leftovers.ts';

const [marks, folder] = process.argv.slice(2);
let expiry: NodeJS.Timeout | undefined;
let expired = false;
let text = '';

// The keeper ends only with its worker.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.stdin.setEncoding('latin1');
process.stdin.on('data', (chunk: string) => {
  const lines = (text + chunk).split('\n');
  text = lines.pop() ?? '';
  const last = lines.at(-1);
  if (last === undefined) return;
  expired = false;
  clearTimeout(expiry);
  expiry = setTimeout(expire, Number(last));
});
process.stdin.on('close', () => {
  clearTimeout(expiry);
  void killAll(folder, marks).then(() => process.exit());
});

/** Reads a line that has already arrived before it kills, and keeps killing until a line arrives. */
function expire(): void {
  expired = true;
  expiry = setTimeout(expire, 200);
  setImmediate(() => {
    if (expired) killOnce(folder, marksWithoutKeep(marks));
  });
}
