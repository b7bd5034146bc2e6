/**
 * Decides which requests are accepted. A web page must not reach an API on the user's machine: neither by a
 * name that its author points there (the Host header), nor by requests that browsers send without consent
 * (the Origin header).
 */

import { contract, type OperationId } from '@orrery/contract';
import { type AccessAction, type Role, roleActions, roleFor } from '@orrery/contract/roles';
import { said } from '@orrery/core/texts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Identity, nobody } from './access/identity.ts';
import { sessionOf } from './access/session.ts';
import type { Tokens } from './access/tokens.ts';
import { hostOf, localRefusal } from './local-request.ts';
import { Refusal } from './problem.ts';

/** What every answer carries; a page served from here sets its own content policy. */
export const guardHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/**
 * Checks every request before any part of it is read, sets its identity, and adds headers to every answer.
 */
export function addGuard(app: FastifyInstance, { tokens }: { tokens: Tokens }): void {
  app.decorateRequest('identity');
  app.addHook('onRequest', async (request, reply) => {
    const { open, operation } = request.routeOptions.config;
    reply.headers({ ...guardHeaders, 'x-request-id': request.id });
    request.identity = nobody;
    const refusal = tokens.needed ? undefined : localRefusal(request.raw);
    if (refusal) throw refusal;
    checkOrigin(request);
    if (open) return;
    request.identity = await callerOf(request, tokens);
    if (operation !== undefined) checkRole(request.identity.role, contract[operation].action);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered without a token. */
    open?: boolean;
    /** The operation of the route; the contract declares which right it needs. */
    operation?: OperationId;
  }
}

function checkRole(role: Role, action: AccessAction): void {
  if (!roleActions[role].has(action))
    throw new Refusal('not-allowed', said('access.yourRole', { own: role, role: roleFor(action) }));
}

/**
 * Browsers declare where a changing request comes from: new ones by a header that works behind any proxy, old
 * ones only by the origin. Programs declare nothing, and have no session that a page could use.
 */
function checkOrigin({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, host, cookie, 'sec-fetch-site': site } = headers;
  const isOwn =
    site !== undefined
      ? site === 'same-origin' || site === 'none'
      : origin !== undefined
        ? hostOf(origin) === host
        : cookie === undefined;
  if (!isOwn) throw new Refusal('not-allowed', said('access.otherSite'));
}

/** Programs send a header; browsers send the cookie that signing in gave them. */
async function callerOf(request: FastifyRequest, tokens: Tokens): Promise<Identity> {
  const { authorization } = request.headers;
  if (authorization !== undefined)
    return tokens.recognise(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '', request.ip);
  const session = sessionOf(request);
  return session ? tokens.recogniseSession(session, request.ip) : tokens.recognise(undefined, request.ip);
}
