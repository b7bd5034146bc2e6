/**
 * The keeper: a small process beside a worker. Each line on its input says for how many milliseconds from now the
 * worker's lease holds. When the lease runs out it kills the attempts that may not outlive it, also when the worker
 * is frozen and cannot; when its input ends, which means that the worker is gone, it kills everything and ends.
 */
import { marksWithoutKeep } from './guard-mark.ts';
import { killAll, killOnce } from './leftovers.ts';

const [marks, folder] = process.argv.slice(2);
let expiry: NodeJS.Timeout | undefined;
let expired = false;
let text = '';

// Only the end of the worker ends the keeper.
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

/** Reads a line that has already come before it kills, and goes on killing until one comes. */
function expire(): void {
  expired = true;
  expiry = setTimeout(expire, 200);
  setImmediate(() => {
    if (expired) killOnce(folder, marksWithoutKeep(marks));
  });
}
