/** Alerts: who is notified of what. Rules and channels belong to one project, or to all projects as `*`. */

import { alertKindNames } from '@orrery/core/alert';
import { matchSchema, ruleSchema } from '@orrery/core/alert/schema';
import { nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { flag, limit, momentAhead, next, number, time, yamlBody } from './shapes.ts';
import { difference } from './workflow-shapes.ts';

const place = z.union([nameSchema, z.literal('*')]).describe('a project, or `*` for all');

const subject = z
  .object({
    kind: z.enum(alertKindNames),
    project: z.string(),
    name: z.string().describe('the workflow, node or channel'),
    run: z.int().nullable(),
    text: z.string(),
    at: time,
  })
  .meta({ id: 'AlertSubject' });

const group = z
  .object({
    id: number,
    project: z.string(),
    rule: z.string(),
    state: z.enum(['pending', 'firing', 'over']),
    firstAt: time,
    lastAt: time,
    count: z.int(),
    toldAt: time.nullable(),
    acknowledged: z.object({ by: z.string(), at: time }).nullable(),
    subjects: z.array(subject),
  })
  .meta({ id: 'AlertGroup' });

const delivery = z
  .object({
    id: number,
    alert: number.nullable().describe('null for a test message'),
    project: z.string(),
    channel: z.string(),
    reason: z.enum(['new', 'more', 'repeat', 'escalate', 'resolve', 'test']),
    about: subject.nullable().describe('the newest alert that it is about; null for a test message'),
    others: z.int().describe('how many more it is about, up to 9'),
    state: z.enum(['waiting', 'sent', 'failed']),
    createdAt: time,
    tries: z.int(),
    nextTry: time.nullable(),
    mayBeDoubled: z.boolean().describe('the answer to a try was lost, so it may have arrived twice'),
    answer: z.string().nullable().describe('what the other side said last'),
  })
  .meta({ id: 'Delivery' });

const attempt = z.object({
  number: z.int(),
  at: time,
  node: z.string(),
  took: z.int().nullable().describe('milliseconds'),
  state: z.string(),
  answer: z.string().nullable(),
});

const rule = z
  .object({ project: z.string(), rule: z.record(z.string(), z.unknown()), changedAt: time })
  .meta({ id: 'AlertRule' });

const channel = z
  .object({
    project: z.string(),
    name: z.string(),
    kind: z.string(),
    settings: z.record(z.string(), z.unknown()).describe('secrets are named in it, never shown'),
    disabled: z.string().nullable().describe('why nothing is sent to it'),
    changedAt: time,
  })
  .meta({ id: 'AlertChannel' });

const mute = z
  .object({
    id: number,
    project: z.string(),
    match: z.record(z.string(), z.unknown()),
    until: time,
    reason: z.string(),
    by: z.string(),
    at: time,
  })
  .meta({ id: 'AlertMute' });

const applied = z
  .object({
    thing: z.enum(['channel', 'rule']),
    project: z.string(),
    name: z.string(),
    changed: z.boolean(),
    created: z.boolean(),
    diff: z.array(difference),
  })
  .meta({ id: 'AppliedAlertSetting' });

const ofProject = z.strictObject({ project: z.string().max(300).optional() });
const byId = z.strictObject({ id: number });
const rulePath = z.strictObject({ project: place, name: nameSchema });
const deleted = z.object({ deleted: z.boolean() });

export const alertOperations = {
  listAlerts: {
    route: 'GET /alerts',
    action: 'project.read',
    scope: 'filter',
    summary: 'alerts as rules grouped them, newest first',
    query: z.strictObject({
      project: z.string().max(300).optional(),
      open: flag.describe('leave out those that are over'),
      before: number.optional(),
      limit,
    }),
    answer: z.object({ alerts: z.array(group), next }),
    example: { open: true },
  },
  acknowledgeAlert: {
    route: 'POST /alerts/{id}/acknowledge',
    action: 'need.mute',
    scope: 'handler',
    audit: 'alert.acknowledge',
    summary: 'acknowledges an alert: it is neither repeated nor escalated',
    params: byId,
    answer: group,
    example: { id: 1 },
  },
  listDeliveries: {
    route: 'GET /deliveries',
    action: 'project.read',
    scope: 'filter',
    summary: 'messages to channels, newest first',
    query: z.strictObject({
      project: z.string().max(300).optional(),
      alert: number.optional(),
      state: z.enum(['waiting', 'sent', 'failed']).optional(),
      before: number.optional(),
      limit,
    }),
    answer: z.object({ deliveries: z.array(delivery), next }),
    example: { state: 'waiting' },
  },
  showDelivery: {
    route: 'GET /deliveries/{id}',
    action: 'project.read',
    scope: 'handler',
    summary: 'a message with every try and answer',
    params: byId,
    answer: delivery.extend({ attempts: z.array(attempt) }),
    example: { id: 1 },
  },
  retryDelivery: {
    route: 'POST /deliveries/{id}/retry',
    action: 'need.mute',
    scope: 'handler',
    audit: 'delivery.retry',
    summary: 'sends a message again that failed',
    params: byId,
    answer: delivery,
    example: { id: 1 },
  },
  listAlertRules: {
    route: 'GET /alert-rules',
    action: 'project.read',
    scope: 'filter',
    summary: 'rules: which alerts are sent to which channels',
    query: ofProject,
    answer: z.object({ rules: z.array(rule) }),
    example: {},
  },
  setAlertRule: {
    route: 'PUT /alert-rules/{project}/{name}',
    action: 'project.edit',
    scope: 'path',
    audit: 'alert-rule.set',
    summary: 'makes a rule, or replaces the one of that name',
    params: rulePath,
    body: ruleSchema,
    answer: rule,
    example: {
      project: 'default',
      name: 'failures',
      body: { name: 'failures', match: { kinds: ['run-failed'] }, channels: ['ops'] },
    },
  },
  previewAlertRule: {
    route: 'POST /alert-rules/{project}/preview',
    action: 'project.read',
    scope: 'path',
    unaudited: 'changes nothing',
    summary: 'how often a rule would have fired in the last 30 days',
    params: z.strictObject({ project: place }),
    body: ruleSchema,
    answer: z.object({
      days: z.int(),
      matched: z.int().describe('alerts that it matches'),
      fired: z.int().describe('times that it would have sent a first message'),
      last: time.nullable().describe('when it would have fired last'),
      isCut: z.boolean().describe('there were more alerts than were looked at'),
    }),
    example: {
      project: 'default',
      body: { name: 'failures', match: { kinds: ['run-failed'] }, channels: ['ops'] },
    },
  },
  deleteAlertRule: {
    route: 'DELETE /alert-rules/{project}/{name}',
    action: 'project.edit',
    scope: 'path',
    audit: 'alert-rule.delete',
    summary: 'deletes a rule; its open alerts are over',
    params: rulePath,
    answer: deleted,
    example: { project: 'default', name: 'old' },
  },
  listAlertChannels: {
    route: 'GET /alert-channels',
    // A channel's address is itself a secret: anyone who has it can write to the room.
    action: 'config.read',
    scope: 'filter',
    summary: 'channels: where messages are sent',
    query: ofProject,
    answer: z.object({ channels: z.array(channel) }),
    example: {},
  },
  listAlertChannelKinds: {
    route: 'GET /alert-channel-kinds',
    action: 'config.read',
    scope: 'shared',
    summary: 'kinds of channels, with the JSON schemas of their settings',
    answer: z.object({
      kinds: z.array(z.object({ name: z.string(), schema: z.record(z.string(), z.unknown()) })),
    }),
    example: {},
  },
  setAlertChannel: {
    route: 'PUT /alert-channels/{project}/{name}',
    action: 'setting.edit',
    scope: 'every',
    audit: 'alert-channel.set',
    summary: 'makes a channel, or replaces the one of that name; it is in use again',
    params: rulePath,
    body: z.strictObject({
      kind: z.string().max(100),
      settings: z.record(z.string(), z.unknown()).describe('as the kind asks; secrets as `${secret.NAME}`'),
    }),
    answer: channel,
    example: {
      project: '*',
      name: 'ops',
      body: { kind: 'webhook', settings: { url: 'https://hooks.example/x', secrets: ['${secret.hook}'] } },
    },
  },
  deleteAlertChannel: {
    route: 'DELETE /alert-channels/{project}/{name}',
    action: 'setting.edit',
    scope: 'every',
    audit: 'alert-channel.delete',
    summary: 'deletes a channel; messages on their way to it fail',
    params: rulePath,
    answer: deleted,
    example: { project: '*', name: 'ops' },
  },
  testAlertChannel: {
    route: 'POST /alert-channels/{project}/{name}/test',
    action: 'setting.edit',
    scope: 'every',
    audit: 'alert-channel.test',
    summary: 'sends a test message',
    params: rulePath,
    status: 202,
    answer: z.object({ delivery: number }),
    example: { project: '*', name: 'ops' },
  },
  applyAlerts: {
    route: 'POST /alert-files',
    action: 'project.edit',
    scope: 'handler',
    audit: 'alert-rule.set',
    summary: 'sets the channels and rules of an alert file: all of them, or none',
    query: z.strictObject({ dryRun: flag.describe('only say what would change') }),
    ...yamlBody('alert file'),
    answer: z.object({ dryRun: z.boolean(), entries: z.array(applied) }),
    example: { body: 'rules: [{name: failures, channels: [ops]}]' },
  },
  listAlertMutes: {
    route: 'GET /alert-mutes',
    action: 'project.read',
    scope: 'filter',
    summary: 'mutes that have not ended',
    query: ofProject,
    answer: z.object({ mutes: z.array(mute) }),
    example: {},
  },
  setAlertMute: {
    route: 'POST /alert-mutes/{project}',
    action: 'need.mute',
    scope: 'path',
    audit: 'alert-mute.set',
    summary: 'mutes matching alerts until a time; afterwards those that still last are sent',
    params: z.strictObject({ project: place }),
    body: z.strictObject({ match: matchSchema, until: momentAhead, reason: z.string().min(1).max(1_000) }),
    status: 201,
    answer: z.object({ id: number }),
    example: {
      project: 'default',
      body: { match: { names: ['demo'] }, until: '+2h', reason: 'maintenance' },
    },
  },
  endAlertMute: {
    route: 'DELETE /alert-mutes/{project}/{id}',
    action: 'need.mute',
    scope: 'path',
    audit: 'alert-mute.end',
    summary: 'ends a mute now',
    params: z.strictObject({ project: place, id: number }),
    answer: deleted,
    example: { project: 'default', id: 1 },
  },
} as const satisfies Record<string, Operation>;
