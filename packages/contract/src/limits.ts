/** Caps on open runs: one for all together, and one per tenant, with weights for sharing the overall cap. */

import { nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { ifMatch } from './shapes.ts';

const cap = z.int().min(0).max(1_000_000).nullable().default(null).describe('null: no cap');
const weight = z.number().min(0.01).max(1_000);

const standing = {
  runs: z.int().nullable().describe('how many may be open; null: no cap'),
  held: z.int().min(0).describe('open runs that count; 0 without a cap'),
  waiting: z.int().min(0).describe('runs that wait for a slot of it, counted up to 10000'),
};

const limits = z
  .object({
    revision: z.int().min(0).describe('grows with every change; send it as `If-Match`'),
    all: z.object(standing),
    tenants: z.array(z.object({ name: z.string(), weight: z.number(), ...standing })),
  })
  .meta({ id: 'Limits' });

export const limitOperations = {
  showLimits: {
    route: 'GET /limits',
    action: 'setting.read',
    scope: 'shared',
    summary: 'the caps on open runs, of all and of each tenant',
    answer: limits,
    example: {},
  },
  setLimits: {
    route: 'PUT /limits',
    action: 'setting.edit',
    scope: 'every',
    audit: 'limits.set',
    summary: 'replaces the caps on open runs; who waits is let in at once, what runs is left to end',
    headers: z.strictObject({
      ifMatch: ifMatch('revision of the caps').describe('only if this is still their revision'),
    }),
    body: z.strictObject({
      runs: cap,
      tenants: z
        .record(nameSchema, z.strictObject({ runs: cap, weight: weight.default(1) }))
        .default({})
        .describe('all of them, by name; with weight 2 a tenant gets two slots of all for one of another'),
    }),
    answer: limits,
    example: { ifMatch: '"0"', body: { runs: 100, tenants: { sales: { runs: 10, weight: 2 } } } },
  },
} as const satisfies Record<string, Operation>;
