/**
 * A schedule in the file: only a cron expression, or an object with a window, a misfire policy and
 * exclusions.
 */

import { z } from 'zod';
import { said } from '../../texts/index.ts';
import { parseTime, readTime, zone } from '../../time/index.ts';
import { misfirePolicies, priorities } from '../glossary.ts';
import type { ScheduleSpec } from '../types.ts';
import { parameters } from './parameters.ts';
import { atLeast, duration, flag, formed, name, object, parsed, text, timezone } from './values.ts';

/**
 * Schedule limit of a workflow: proving that a schedule never fires may take a look at every day until 2099.
 */
export const MOST_SCHEDULES = 100;

const defaultMisfire = { policy: 'fire-once', threshold: 60_000 } as const;

const misfire = z.union([
  z.enum(misfirePolicies).transform((policy) => ({ ...defaultMisfire, policy })),
  object({
    policy: z.enum(misfirePolicies).default(defaultMisfire.policy),
    threshold: duration
      .default(defaultMisfire.threshold)
      .describe('How late a tick may be and still count as on time.'),
  }),
]);

/** Days of the week as written in the file, by number. */
export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

const yearDay =
  /^(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|[12]\d))$/;

/** Limit of days listed by a calendar or a schedule: thirty years of holidays. */
const MOST_DAYS = 1_000;

/** Excluded days as written: in a schedule, or in a calendar that several schedules share. */
export const excludedDays = object({
  dates: z
    .array(formed(z.regexes.date, (text) => said('file.day', { text })).meta({ format: 'date' }))
    .max(MOST_DAYS)
    .default([])
    .describe('Days on which it does not fire: 2026-05-01.'),
  yearly: z
    .array(formed(yearDay, (text) => said('file.yearDay', { text })))
    .max(MOST_DAYS)
    .default([])
    .describe('Days of every year: 12-25.'),
  weekdays: z
    .array(z.enum(weekdays).transform((day) => weekdays.indexOf(day)))
    .max(MOST_DAYS)
    .default([])
    .describe('Days of every week: saturday, sunday.'),
});

const moment = z
  .string()
  .superRefine((value, context) => void parsed(context, 'bad-value', () => readTime(value)))
  .meta({ examples: ['2026-01-31', '2026-01-31 08:00:00', '2026-01-31T08:00:00Z'] });

const scheduleObject = object({
  name: name.default('main'),
  cron: text
    .optional()
    .describe('Five fields as Unix cron reads them, or six or seven as Quartz does, seconds first.'),
  every: atLeast(1_000, said('value.atLeastSecond'))
    .optional()
    .describe('An interval instead of cron, counted from `from`.'),
  timezone: timezone.optional().describe('Default: that of the workflow.'),
  from: moment.optional().describe('The first moment at which it may fire.'),
  until: moment.optional().describe('The last moment at which it may fire.'),
  misfire: misfire.default(defaultMisfire).describe('What happens to ticks nobody could fire in time.'),
  exclude: excludedDays.optional(),
  calendar: name.optional().describe('A calendar of the project whose days are left out too.'),
  params: parameters.default({}).describe('Values for the runs that this schedule starts.'),
  priority: z.enum(priorities).optional().describe('Default: that of the workflow.'),
  enabled: flag
    .optional()
    .describe('Default: true. Where it is not said, a schedule that was paused or resumed by hand stays so.'),
});

/** A schedule as written, before it is attached to its workflow. */
export const schedule = z.union([text.transform((cron) => scheduleObject.parse({ cron })), scheduleObject]);

/** A schedule of a workflow in this zone; local times become instants. */
export function completeSchedule(written: z.output<typeof schedule>, zoneOfWorkflow: string): ScheduleSpec {
  const { from, until, ...rest } = written;
  const timezone = rest.timezone ?? zoneOfWorkflow;
  return {
    ...rest,
    timezone,
    ...(from && { from: parseTime(from, zone(timezone)) }),
    ...(until && { until: parseTime(until, zone(timezone)) }),
  };
}
