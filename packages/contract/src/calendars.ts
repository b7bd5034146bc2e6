/** Calendars: named sets of days of a project on which schedules that refer to them do not fire. */

import { excludedDays, nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { ifMatch, number, time } from './shapes.ts';
import { excluded } from './workflow-model.ts';

const calendar = excluded
  .extend({
    project: z.string(),
    name: z.string(),
    description: z.string(),
    revision: z.int().positive().describe('grows with every change; send it as `If-Match`'),
    changedAt: time,
    schedules: z.int().describe('how many schedules leave its days out'),
  })
  .meta({ id: 'Calendar' });

const path = z.strictObject({ project: nameSchema, name: nameSchema });

/** A schedule whose next due time a change moves. */
const moved = z.object({
  schedule: number,
  project: z.string(),
  workflow: z.string(),
  name: z.string().describe('of the schedule'),
  before: time.nullable(),
  after: time.nullable(),
});

export const calendarOperations = {
  listCalendars: {
    route: 'GET /calendars',
    action: 'schedule.read',
    scope: 'filter',
    summary: 'calendars, by project and name',
    query: z.strictObject({ project: z.string().optional() }),
    answer: z.object({ calendars: z.array(calendar) }),
    example: { project: 'default' },
  },
  showCalendar: {
    route: 'GET /calendars/{project}/{name}',
    action: 'schedule.read',
    scope: 'path',
    summary: 'a calendar',
    params: path,
    answer: calendar,
    example: { project: 'default', name: 'holidays' },
  },
  setCalendar: {
    route: 'PUT /calendars/{project}/{name}',
    action: 'schedule.edit',
    scope: 'path',
    audit: 'calendar.set',
    summary: 'makes or replaces a calendar; schedules that refer to it leave its days out from now on',
    params: path,
    headers: z.strictObject({
      ifMatch: ifMatch('revision of a calendar').describe(
        'only if this is still its revision; 0: if it is new',
      ),
    }),
    body: excludedDays.extend({
      description: z.string().max(1_000).default(''),
      dryRun: z.boolean().default(false).describe('only say what it would change'),
    }),
    answer: calendar.extend({ moved: z.array(moved).describe('schedules that fire next at another time') }),
    example: {
      project: 'default',
      name: 'factory',
      ifMatch: '"0"',
      body: { dates: ['2026-05-01'], yearly: ['12-25'], weekdays: ['sunday'] },
    },
  },
  deleteCalendar: {
    route: 'DELETE /calendars/{project}/{name}',
    action: 'schedule.edit',
    scope: 'path',
    audit: 'calendar.delete',
    summary: 'deletes a calendar; refused while schedules refer to it',
    params: path,
    status: 204,
    answer: z.undefined(),
    example: { project: 'default', name: 'holidays' },
  },
} as const satisfies Record<string, Operation>;
