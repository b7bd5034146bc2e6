/** Webhooks: requests from elsewhere that start a run, known by their signature. */
import { z } from 'zod';
import type { OperationSchema } from './operation.ts';
import type { OperationId } from './operations.ts';
import { number } from './shapes.ts';

const line = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'use 1 to 200 visible ASCII characters');

export const hookOperations = {
  receiveHook: {
    summary: 'starts a run by a signed request; no token is needed',
    params: z.strictObject({ project: z.string(), workflow: z.string(), trigger: z.string() }),
    headers: z.strictObject({
      orreryTimestamp: line.optional().describe('seconds since 1970, at most 5 minutes from the time here'),
      orrerySignature: line
        .optional()
        .describe(
          '`v1=` and the HMAC-SHA256, in hex, of timestamp, delivery (if any) and body, joined by dots',
        ),
      orreryDelivery: z
        .string()
        .regex(/^[\w-]{1,100}$/, 'use 1 to 100 letters, digits, "-" or "_"')
        .optional()
        .describe('the same one again starts no second run'),
    }),
    body: z.string(),
    bodyTypes: ['application/json'],
    status: 202,
    answer: z.object({
      id: number.describe('the run'),
      repeated: z.boolean().describe('this was delivered before: the run is the one of that time'),
    }),
    open: true,
  },
} as const satisfies Partial<Record<OperationId, OperationSchema>>;
