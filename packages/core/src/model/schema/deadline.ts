/** A deadline in the file: only a time of day, or an object with a zone and days. */
import { z } from 'zod';
import { said } from '../../texts/index.ts';
import type { DeadlineSpec } from '../types.ts';
import { weekdays } from './schedule.ts';
import { formed, object, timezone } from './values.ts';

const timeOfDay = formed(/^(?:[0-3]\d|4[0-7]):[0-5]\d$/, (text) => said('file.deadline', { text })).meta({
  examples: ['08:00', '30:00'],
});

const deadlineObject = object({
  at: timeOfDay.describe('The time; from 24:00 on it is in the night after the day.'),
  timezone: timezone.optional().describe('Default: that of the workflow.'),
  days: z
    .array(z.enum(weekdays).transform((day) => weekdays.indexOf(day)))
    .min(1)
    .optional()
    .describe('The days of the week whose runs it is for; all unless given.'),
});

/** A deadline as written. */
export const deadline = z.union([timeOfDay.transform((at) => deadlineObject.parse({ at })), deadlineObject]);

/** The deadline of a workflow in this zone. */
export function completeDeadline(written: z.output<typeof deadline>, zoneOfWorkflow: string): DeadlineSpec {
  return { ...written, timezone: written.timezone ?? zoneOfWorkflow };
}
