/** Access: signing in and out, the caller, tokens, projects, and who changed what of these. */
import { operations } from '@orrery/core/contract';
import { MOST_PREFERENCES } from '@orrery/core/contract/access';
import { includesRole, needOf } from '@orrery/core/contract/roles';
import type { TokenRow } from '@orrery/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Identity } from '../access/identity.ts';
import { checkProject } from '../access/scope.ts';
import { setSession } from '../access/session.ts';
import { nextPage, serve } from '../input.ts';
import { Refusal } from '../problem.ts';
import type { Context } from '../server.ts';
import { optionalTime, timeText } from '../time.ts';

const DAY = 24 * 3_600_000;

/** Adds the routes. */
export function addAccessRoutes(app: FastifyInstance, context: Context): void {
  addSessionRoutes(app, context);
  addCallerRoutes(app, context);
  addTokenRoutes(app, context);
}

function addSessionRoutes(app: FastifyInstance, context: Context): void {
  const { tokens, clock, basePath = '' } = context;
  const path = `${basePath}/`;

  serve(app, context, 'signIn', async ({ body: { token }, request }, reply) => {
    // A cookie has no room for anything else; no token of ours needs it.
    if (!/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(token))
      throw new Refusal('not-accepted', 'token: has characters that a cookie cannot hold');
    const { name, role, expiresAt } = await tokens.recognise(token, request.ip);
    const seconds = expiresAt === null ? undefined : Math.ceil((expiresAt - clock.now()) / 1_000);
    setSession(reply, token, { path, secure: isSecure(request), seconds });
    return { name, role, expiresAt: optionalTime(expiresAt) };
  });

  serve(app, context, 'signOut', async ({ request }, reply) => {
    setSession(reply, undefined, { path, secure: isSecure(request) });
    return { signedOut: true };
  });
}

/** Over TLS, also where a proxy sees to that. Whoever says so wrongly only makes a cookie that is of no use to it. */
function isSecure({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || headers['x-forwarded-proto'] === 'https';
}

function addCallerRoutes(app: FastifyInstance, context: Context): void {
  const { store, tokens, clock } = context;

  serve(app, context, 'showMe', async ({ request: { identity } }) => {
    const { name, role, project, token, expiresAt } = identity;
    const [saved, projects] = await Promise.all([
      store.readPreferences({ token }),
      visibleProjects(context, identity),
    ]);
    return {
      name,
      role,
      project,
      projects: projects.map((row) => row.name),
      expiresAt: optionalTime(expiresAt),
      rights: operationIds.filter((id) => includesRole(role, needOf(id).role)),
      signedIn: tokens.needed,
      preferences: saved === undefined ? {} : JSON.parse(saved),
    };
  });

  serve(app, context, 'savePreferences', async ({ body: preferences, request }) => {
    const { token } = request.identity;
    await store.savePreferences({ token, body: JSON.stringify(preferences), now: clock.now() });
    return { preferences };
  });

  serve(app, context, 'changePreferences', async ({ body, request }) => {
    const { token } = request.identity;
    const change = JSON.stringify(body);
    const saved = await store.changePreferences({ token, change, most: MOST_PREFERENCES, now: clock.now() });
    if (saved === undefined) throw new Refusal('not-accepted', 'preferences: must be at most 64 KB of JSON');
    return { preferences: JSON.parse(saved) };
  });

  serve(app, context, 'listProjects', async ({ request: { identity } }) => ({
    projects: (await visibleProjects(context, identity)).map(({ name, createdAt }) => ({
      name,
      createdAt: timeText(createdAt),
    })),
  }));
}

function addTokenRoutes(app: FastifyInstance, context: Context): void {
  const { store, tokens, clock } = context;

  serve(app, context, 'listTokens', async ({ query, request }) => {
    const { project } = request.identity;
    const rows = await store.listTokens({ ...query, project: project ?? undefined });
    return {
      tokens: rows.map(show),
      next: nextPage(request, rows, query.limit, ({ id }) => ({ before: id })),
    };
  });

  serve(app, context, 'createToken', async ({ body, request: { identity } }) => {
    const { name, role, project, days } = body;
    // An admin of one project cannot reach further by a token of its own making.
    checkProject(identity, project ?? 'every one');
    const expiresAt = days === null ? null : clock.now() + days * DAY;
    const made = await tokens.create({ name, role, project, expiresAt, by: identity.name });
    return { ...show(made.row), token: made.token };
  });

  serve(app, context, 'revokeToken', async ({ params: { id }, request: { identity } }) => {
    const { name, project } = identity;
    const row = await store.revokeToken({ id, project: project ?? undefined, by: name, now: clock.now() });
    if (!row) throw new Refusal('not-found', `there is no token ${id}`);
    tokens.forget(id);
    return show(row);
  });

  serve(app, context, 'listAudit', async ({ query, request }) => {
    const rows = await store.listAudit(query);
    return {
      entries: rows.map(({ at, ...entry }) => ({ ...entry, at: timeText(at) })),
      next: nextPage(request, rows, query.limit, ({ id }) => ({ before: id })),
    };
  });
}

const operationIds = Object.keys(operations) as (keyof typeof operations)[];

async function visibleProjects({ store }: Context, { project }: Identity) {
  const all = await store.listProjects();
  return all.filter(({ name }) => project === null || name === project);
}

function show({ createdAt, expiresAt, revokedAt, lastUsedAt, role, ...row }: TokenRow) {
  return {
    ...row,
    role: role as Identity['role'],
    createdAt: timeText(createdAt),
    expiresAt: optionalTime(expiresAt),
    revokedAt: optionalTime(revokedAt),
    lastUsedAt: optionalTime(lastUsedAt),
  };
}
