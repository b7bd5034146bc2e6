/** A task type that leaves a line for each attempt that really ran, in the file that `with` names. */
import { appendFileSync } from 'node:fs';
import { definePlugin } from 'orrery-scheduler/plugin';
import { z } from 'zod';

export const plugin = definePlugin({
  name: 'mark',
  title: 'Mark',
  description: 'Appends its attempt to a file.',
  schema: z.strictObject({ file: z.string() }),
  run({ with: { file }, attempt, taskName }) {
    appendFileSync(file, `${attempt.run}.${taskName} ${attempt.number}\n`);
  },
});
