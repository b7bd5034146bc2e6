/** Schema of the ownership settings. Separate from them, because the store's thread loads no schema. */
import { z } from 'zod';

const tolerance = z
  .int()
  .min(1, 'a cluster tolerates the loss of at least 1 master')
  .max(1_000)
  .describe('How many masters may die at once without leaving a schedule that no other may claim');
const alarmAbove = z
  .int()
  .min(0)
  .max(1_000_000_000)
  .describe('A master that holds more schedules than this after a claim raises an alert');

/** Settings that one master may override. */
const claimantSchema = z.strictObject({
  tolerance: tolerance.optional(),
  alarmAbove: alarmAbove.optional(),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('How much it should carry compared with the others; 1 unless given'),
});

/** The document as people write it; omitted fields have defaults. */
export const ownershipSchema = z.strictObject({
  mode: z.enum(['scope', 'claim']).default('scope'),
  tolerance: tolerance.default(1),
  alarmAbove: alarmAbove.default(10_000),
  sweepEvery: z
    .int()
    .min(1_000)
    .max(86_400_000)
    .default(30_000)
    .describe('Milliseconds between two sweeps for schedules that an event did not bring up'),
  masters: z.record(z.string().min(1).max(100), claimantSchema).default({}),
});

/** Settings of schedule ownership. */
export type OwnershipSettings = z.output<typeof ownershipSchema>;
