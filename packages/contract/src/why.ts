/** Explanations of a state: a sentence for people, and the same as a code with fields for other languages. */
import { z } from 'zod';
import { action, time } from './shapes.ts';

/** Explains the state of a run or a task run. */
export const why = z
  .object({
    id: z.string(),
    state: z.string(),
    since: time.nullable(),
    why: z.string().describe('a sentence without its subject: `waits for extract (running)`'),
    frees: z.string().nullable().describe('what would let it go on; null where nothing has to happen'),
    code: z.string().describe('names the sentence, for translations'),
    fields: z.record(z.string(), z.unknown()).describe('what the sentence was made of'),
    waitsFor: z.array(z.string()).describe('the runs and task runs it waits for, if any'),
    actions: z
      .array(action.extend({ of: z.string().describe('the run or task run that it is an action of') }))
      .describe('what someone can do about it'),
    command: z.string().nullable().describe('what someone can do about it in a shell'),
  })
  .meta({ id: 'Why' });
