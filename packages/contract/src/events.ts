/** The live stream as an operation; live.ts defines its messages. */
import { z } from 'zod';
import { topicForms } from './live.ts';
import type { Operation } from './operation.ts';

export const eventOperations = {
  followEvents: {
    route: 'GET /events',
    action: 'run.read',
    scope: 'handler',
    summary: 'changes as they happen',
    query: z.strictObject({
      topics: z
        .array(z.string())
        .min(1, `name at least one of ${Object.keys(topicForms).join(', ')}`)
        .describe(`what to listen to: ${Object.keys(topicForms).join(', ')}`),
      after: z
        .string()
        .optional()
        .describe('the `Orrery-Seq` of an answer: everything since then is sent; without it, from now on'),
    }),
    headers: z.strictObject({
      lastEventId: z
        .string()
        .optional()
        .describe('the id of the last message, as browsers send it on reconnecting; counts before `after`'),
    }),
    answer: z.never(),
    stream: { type: 'text/event-stream', when: 'always: messages `hello`, `frame` and `resync`' },
    example: { topics: ['runs'] },
  },
} as const satisfies Record<string, Operation>;
