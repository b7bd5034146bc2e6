/** The thread that tries a regular expression on lines; started by `search.ts`, which ends it. */
import { parentPort, workerData } from 'node:worker_threads';

const { source, flags } = workerData as { readonly source: string; readonly flags: string };
const pattern = new RegExp(source, flags);

parentPort?.on('message', (lines: readonly string[]) => {
  parentPort?.postMessage(
    lines.map((line) => {
      const found = pattern.exec(line);
      return found && [found.index, found.index + found[0].length];
    }),
  );
});
