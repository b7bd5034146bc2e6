/** Access: sign-in and sign-out, the caller, tokens, projects, and their audit. */

import { contract, operationIds } from '@orrery/contract';
import { MOST_PREFERENCES } from '@orrery/contract/access';
import { roleActions } from '@orrery/contract/roles';
import { said } from '@orrery/core/texts';
import type { TokenRow } from '@orrery/store';
import type { FastifyRequest } from 'fastify';
import { asCaller, refusedName } from '../access/asker.ts';
import { exportAudit, shownEntry } from '../access/export-audit.ts';
import type { Identity } from '../access/identity.ts';
import { checkProject } from '../access/scope.ts';
import { sessionOf, setSession } from '../access/session.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../handler.ts';
import { nextPage } from '../page-link.ts';
import { Refusal } from '../problem.ts';
import { optionalTime, timeText } from '../time.ts';

const DAY = 24 * 3_600_000;

/** What the operations do. */
export function accessHandlers(context: Context) {
  return { ...sessionHandlers(context), ...callerHandlers(context), ...tokenHandlers(context) };
}

function sessionHandlers(context: Context) {
  const { tokens, clock, basePath = '' } = context;
  const path = `${basePath}/`;

  return {
    signIn: async ({ body: { token }, request }, reply) => {
      const identity = await tokens.recognise(token, request.ip);
      const { secret, until } = await asCaller(request, identity, () => tokens.startSession(identity));
      const seconds = Math.ceil((until - clock.now()) / 1_000);
      setSession(reply, secret, { path, secure: isSecure(request), seconds });
      const { name, role, expiresAt } = identity;
      return { name, role, expiresAt: optionalTime(expiresAt) };
    },

    signOut: async ({ request }, reply) => {
      const secret = sessionOf(request);
      // A session that has already ended needs no sign-out.
      const identity = secret && (await tokens.recogniseSession(secret, request.ip).catch(unlessRefused));
      if (identity) await asCaller(request, identity, () => tokens.endSession(identity));
      setSession(reply, undefined, { path, secure: isSecure(request) });
      return { signedOut: true };
    },
  } satisfies Partial<Handlers>;
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

/**
 * Over TLS, including TLS that a proxy terminates. A client that forges this only gets a cookie it cannot
 * use.
 */
function isSecure({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'https' || headers['x-forwarded-proto'] === 'https';
}

function callerHandlers(context: Context) {
  const { store, tokens, clock } = context;

  return {
    showMe: async ({ request: { identity } }) => {
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
        rights: operationIds.filter((id) => roleActions[role].has(contract[id].action)),
        signedIn: tokens.needed,
        preferences: saved === undefined ? {} : JSON.parse(saved),
      };
    },

    savePreferences: async ({ body: preferences, request }) => {
      const { token } = request.identity;
      await store.savePreferences({ token, body: JSON.stringify(preferences), now: clock.now() });
      return { preferences };
    },

    changePreferences: async ({ body, request }) => {
      const { token } = request.identity;
      const change = JSON.stringify(body);
      const saved = await store.changePreferences({
        token,
        change,
        most: MOST_PREFERENCES,
        now: clock.now(),
      });
      if (saved === undefined) throw new Refusal('not-accepted', said('access.preferences'));
      return { preferences: JSON.parse(saved) };
    },

    listProjects: async ({ request: { identity } }) => ({
      projects: (await visibleProjects(context, identity)).map(({ name, createdAt }) => ({
        name,
        createdAt: timeText(createdAt),
      })),
    }),
  } satisfies Partial<Handlers>;
}

function tokenHandlers(context: Context) {
  const { store, tokens, clock } = context;

  return {
    listTokens: async ({ query, request }) => {
      const { project } = request.identity;
      const rows = await store.listTokens({ ...query, project: project ?? undefined });
      return {
        tokens: rows.map(show),
        next: nextPage(request, rows, query.limit, ({ id }) => ({ before: id })),
      };
    },

    createToken: async ({ body, request: { identity } }) => {
      const { name, role, project, days } = body;
      // An admin of one project cannot reach further by a token of its own making.
      checkProject(identity, project ?? 'every one');
      const expiresAt = days === null ? null : clock.now() + days * DAY;
      const refused = refusedName(name);
      if (refused !== undefined) throw new Refusal('not-accepted', `name: ${refused}`);
      const made = await tokens.create({ name, role, project, expiresAt, by: identity });
      return { ...show(made.row), token: made.token };
    },

    revokeToken: async ({ params: { id }, request: { identity } }) => {
      const { name, project } = identity;
      const row = await store.revokeToken({ id, project: project ?? undefined, by: name, now: clock.now() });
      if (!row) throw new Refusal('not-found', said('none.token', { id }));
      tokens.forget();
      return show(row);
    },

    listAudit: async ({ query, request }, reply) => {
      const { format, limit, before, after, ...filter } = query;
      if (format === 'lines') return exportAudit(context, { ...filter, after }, reply);
      const rows = await store.listAudit({ ...filter, limit, before, after });
      return {
        entries: rows.map(shownEntry),
        next: nextPage(request, rows, limit, ({ id }) => ({
          [after === undefined ? 'before' : 'after']: id,
        })),
      };
    },
  } satisfies Partial<Handlers>;
}

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
