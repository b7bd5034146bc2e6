/**
 * Alerting rules: which alerts go to which channels, how they are grouped, and when. Files, the API and the
 * console use the same form.
 */

import { z } from 'zod';
import { weekdays } from '../model/schema/schedule.ts';
import { duration, flag, formed, name, object, positiveDuration, timezone } from '../model/schema/values.ts';
import { said } from '../texts/index.ts';
import { alertKindNames, severities } from './kinds.ts';
import { groupings } from './match.ts';
import type { QuietHours } from './quiet.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A name in which `*` matches any text. */
const pattern = z.string().min(1).max(200);
const patterns = z.union([pattern.transform((one) => [one]), z.array(pattern).min(1)]);

/** Filter of alerts for a rule, a mute or a list; omitted parts match everything. */
export const matchSchema = object({
  kinds: z.array(z.enum(alertKindNames)).min(1).optional(),
  projects: patterns.optional().describe('Projects; `*` stands for any text.'),
  names: patterns.optional().describe('Workflows or nodes; `*` stands for any text.'),
  tags: z.array(z.string().min(1)).min(1).optional().describe('A workflow must have one of these tags.'),
  severity: z.enum(severities).optional().describe('The least severity.'),
});
export type AlertMatch = z.output<typeof matchSchema>;

const timeOfDay = formed(/^(?:[01]\d|2[0-3]):[0-5]\d$/, (text) => said('file.timeOfDay', { text }));

const quiet = object({
  from: timeOfDay,
  to: timeOfDay,
  timezone: timezone.default('UTC'),
  days: z
    .array(z.enum(weekdays).transform((day) => weekdays.indexOf(day)))
    .min(1)
    .optional()
    .describe('The days of the week on which they begin; all unless given.'),
}).transform((written): QuietHours => written);

/** The schema of a rule. */
export const ruleSchema = object({
  name,
  description: z.string().optional(),
  enabled: flag.default(true),
  match: matchSchema.default({}),
  channels: z.array(name).min(1),
  groupBy: z
    .array(z.enum(groupings))
    .default([...groupings])
    .describe('Alerts that agree in these fields are one message.'),
  delay: duration.default(0).describe('Send only if the problem still exists after this time.'),
  update: positiveDuration.default(5 * MINUTE).describe('Between two messages about one group.'),
  repeat: positiveDuration.default(4 * HOUR).describe('Send again while the problem lasts.'),
  resolve: flag.default(true).describe('Send a message when the problem is resolved.'),
  quiet: quiet.optional().describe('No messages in these hours; alerts that still last are sent afterwards.'),
  escalate: object({ after: positiveDuration, channels: z.array(name).min(1) })
    .optional()
    .describe('Who is notified if nobody acknowledges the alert.'),
});
export type AlertRule = z.output<typeof ruleSchema>;
/** A rule as people write it. */
export type AlertRuleFile = z.input<typeof ruleSchema>;
