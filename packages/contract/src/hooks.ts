/** Webhooks: signed requests from other systems that start a run. */
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { number } from './shapes.ts';

const line = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'use 1 to 200 visible ASCII characters');

export const hookOperations = {
  receiveHook: {
    route: 'POST /hooks/{project}/{workflow}/{trigger}',
    action: 'run.start',
    scope: 'shared',
    audit: 'run.start',
    summary: 'starts a run by a signed request; no token is needed',
    params: z.strictObject({ project: z.string(), workflow: z.string(), trigger: z.string() }),
    headers: z.strictObject({
      orreryTimestamp: line.optional().describe('seconds since 1970, at most 5 minutes from the time here'),
      orrerySignature: line
        .optional()
        .describe(
          '`v2=` and the HMAC-SHA256, in hex, of five lines without an end of the last: POST, the hook as PROJECT/WORKFLOW/TRIGGER, timestamp, delivery, and the SHA-256 of the body in hex',
        ),
      orreryDelivery: z
        .string()
        .regex(/^[\w-]{1,100}$/, 'use 1 to 100 letters, digits, "-" or "_"')
        .optional()
        .describe('names the delivery: the same one again starts no second run'),
    }),
    body: z.string(),
    bodyTypes: ['application/json'],
    status: 202,
    answer: z.object({
      id: number.describe('the run'),
      repeated: z.boolean().describe('this was delivered before: the run is the one of that time'),
    }),
    open: true,
    example: {
      project: 'default',
      workflow: 'demo',
      trigger: 'push',
      body: '{"ref":"main"}',
      orreryTimestamp: '1772352000',
      orreryDelivery: 'example-1',
      orrerySignature: 'v2=eb44461afae240052a77e812684ad9d4d4511cf4020b97ebabe5c8698a8f446b',
    },
  },
} as const satisfies Record<string, Operation>;
