/** A task type that counts the lines of a file; with shards, each shard counts its share of the lines. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { definePlugin, TaskFailure } from 'orrery-scheduler/plugin';
import { z } from 'zod';

export const plugin = definePlugin({
  name: 'count-lines',
  title: 'Count lines',
  description: 'Counts the lines of a file that contain a text.',

  // What a task writes under `with`. Descriptions become the help texts of the form in the console.
  schema: z.strictObject({
    file: z.string().describe('The file to read.'),
    containing: z.string().default('').describe('Only lines that contain this text count.'),
    atLeast: z.number().int().min(0).default(0).describe('Fewer lines than this are a failure.'),
  }),

  async run({ with: { file, containing, atLeast }, shard, signal, log, output }) {
    const { index, count } = shard ?? { index: 0, count: 1 };
    let line = 0;
    let found = 0;
    // The signal ends the reading when the attempt is killed or runs out of time.
    for await (const text of createInterface({ input: createReadStream(file, { signal }) })) {
      if (line++ % count === index && text.includes(containing)) found++;
    }
    log(`${found} of ${line} lines`);
    output('lines', found);

    // An ordinary error is tried again where the task has retries; a fatal one never is.
    if (line === 0) throw new Error(`${file} is empty; perhaps it is not written yet`);
    if (found < atLeast)
      throw new TaskFailure(`only ${found} lines, at least ${atLeast} were expected`, { fatal: true });
  },
});
