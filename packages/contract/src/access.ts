/** Access: sign-in, the caller, tokens, projects, settings, and the audit of changes to these. */

import { nameSchema } from '@orrery/core/model';
import { z } from 'zod';
import type { Operation } from './operation.ts';
import { roles } from './roles.ts';
import { limit, next, number, numberPath, time } from './shapes.ts';

const role = z.enum(roles, `must be one of ${roles.join(', ')}`);

/** Limit of preferences, in bytes of JSON. */
export const MOST_PREFERENCES = 64 * 1024;

const preferences = z
  .record(z.string().max(100), z.json())
  .refine((value) => JSON.stringify(value).length <= MOST_PREFERENCES, 'must be at most 64 KB of JSON')
  .describe('whatever a client keeps: language, zone, saved views, …');

const me = z
  .object({
    name: z.string(),
    role,
    project: z.string().nullable().describe('the one project this token is for; null: all of them'),
    projects: z.array(z.string()).describe('the projects that can be seen'),
    expiresAt: time.nullable(),
    rights: z.array(z.string()).describe('the ids of the operations that the role allows'),
    signedIn: z.boolean().describe('false where nobody has to sign in'),
    preferences,
  })
  .meta({ id: 'Me' });

const token = z
  .object({
    id: number,
    name: z.string(),
    role,
    project: z.string().nullable(),
    hint: z.string().describe('how the token begins'),
    createdBy: z.string(),
    createdAt: time,
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
    lastUsedAt: time.nullable().describe('to the hour'),
    parent: number.nullable().describe("the token it was made with, and ends with; null: the server's own"),
  })
  .meta({ id: 'Token' });

const setting = z
  .object({
    name: z.string(),
    value: z.json().describe('null where it is secret'),
    source: z.string().describe('`option`, the name of an environment variable, a file, or `default`'),
    secret: z.boolean(),
  })
  .meta({ id: 'Setting' });

const audited = z
  .object({
    id: number,
    at: time,
    actor: z.string().describe('the name of the token, or of the node that did it by itself'),
    token: z
      .int()
      .nullable()
      .describe("the number of the token; 0: the server's own, null: none, as for nodes and webhooks"),
    address: z.string().nullable().describe('where the request came from'),
    request: z.string().nullable().describe('the id of the request, as `X-Request-Id` has it'),
    action: z.string(),
    subject: z.string(),
    detail: z
      .record(z.string(), z.json())
      .describe('`before` and `after` where something was changed; values of settings only by name'),
  })
  .meta({ id: 'AuditEntry' });

/** Matches exactly, unless it contains a `*`. */
const auditWord = z.string().min(1).max(300);

export const accessOperations = {
  signIn: {
    route: 'POST /session',
    action: 'self',
    scope: 'shared',
    audit: 'session.start',
    summary: 'signs a browser in: the token becomes a cookie that pages cannot read',
    body: z.strictObject({ token: z.string().min(1).max(1_000) }),
    answer: z.object({ name: z.string(), role, expiresAt: time.nullable() }),
    open: true,
    example: { body: { token: 'the-token-of-the-server' } },
  },
  signOut: {
    route: 'DELETE /session',
    action: 'self',
    scope: 'shared',
    audit: 'session.end',
    summary: 'signs a browser out',
    answer: z.object({ signedOut: z.boolean() }),
    open: true,
    example: {},
  },
  showMe: {
    route: 'GET /me',
    action: 'self',
    scope: 'handler',
    summary: 'the caller: name, role, rights, preferences',
    answer: me,
    example: {},
  },
  savePreferences: {
    route: 'PUT /me/preferences',
    action: 'self',
    scope: 'handler',
    unaudited: 'concerns the caller alone',
    summary: 'replaces the preferences of the caller',
    body: preferences,
    answer: z.object({ preferences }),
    example: { body: { language: 'zh' } },
  },
  changePreferences: {
    route: 'PATCH /me/preferences',
    action: 'self',
    scope: 'handler',
    unaudited: 'concerns the caller alone',
    summary: 'changes some of the preferences of the caller, as a JSON merge patch (RFC 7396) says',
    body: preferences.describe('what is given is set, at any depth; null drops it, and the rest stays'),
    answer: z.object({ preferences }),
    example: { body: { zone: 'UTC', language: null } },
  },
  listProjects: {
    route: 'GET /projects',
    action: 'project.read',
    scope: 'handler',
    summary: 'the projects that the caller can see',
    answer: z.object({ projects: z.array(z.object({ name: z.string(), createdAt: time })) }),
    example: {},
  },
  listTokens: {
    route: 'GET /tokens',
    action: 'token.manage',
    scope: 'handler',
    summary: 'tokens, newest first, also those that have ended; never the tokens themselves',
    query: z.strictObject({ limit, before: number.optional() }),
    answer: z.object({ tokens: z.array(token), next }),
    example: { limit: 1 },
  },
  createToken: {
    route: 'POST /tokens',
    action: 'token.manage',
    scope: 'handler',
    audit: 'token.create',
    summary: 'makes a token; this answer is the only place it is ever shown',
    body: z.strictObject({
      name: z.string().min(1).max(100).describe('who or what it is for'),
      role,
      project: nameSchema.nullable().default(null).describe('the one project it is for; null: all of them'),
      days: z.int().min(1).max(3_650).nullable().default(90).describe('until it expires; null: never'),
    }),
    status: 201,
    answer: z.object({ ...token.shape, token: z.string() }),
    example: { body: { name: 'other', role: 'operator', project: 'default' } },
  },
  revokeToken: {
    route: 'DELETE /tokens/{id}',
    action: 'token.manage',
    scope: 'handler',
    audit: 'token.revoke',
    summary: 'ends a token',
    params: numberPath,
    answer: token,
    example: { id: 1 },
  },
  listAudit: {
    route: 'GET /audit',
    action: 'audit.read',
    scope: 'every',
    summary: 'who changed what, signed in or was refused, newest first',
    query: z.strictObject({
      limit,
      before: number.optional(),
      after: number.optional().describe('entries after this one, oldest first'),
      actor: z.string().max(300).optional().describe('who: entries of this caller alone'),
      action: auditWord.optional().describe('what was done; `*` stands for any text: `token.*`'),
      subject: auditWord.optional().describe('what it was done to; `*` stands for any text: `etl/*`'),
      format: z
        .enum(['json', 'lines'])
        .default('json')
        .describe('`lines`: all of them, one JSON object a line'),
    }),
    answer: z.object({ entries: z.array(audited), next }),
    stream: { type: 'application/x-ndjson', when: 'format=lines' },
    example: {},
  },
  showConfig: {
    route: 'GET /config',
    action: 'config.read',
    scope: 'every',
    summary: 'the settings that take effect, each with its source; secrets are left out',
    answer: z.object({ settings: z.array(setting) }),
    example: {},
  },
} as const satisfies Record<string, Operation>;
