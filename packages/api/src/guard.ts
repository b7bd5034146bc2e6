/**
 * Who may ask. A page that a browser shows must not reach an API on the same machine: not by a name that its
 * author points here (the Host header), and not by sending what browsers send without asking (the Origin header).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiOptions } from './options.ts';
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

/** Checks every request before anything of it is read, and marks every answer. */
export function addGuard(app: FastifyInstance, { dev, token }: Pick<ApiOptions, 'dev' | 'token'>): void {
  const expected = token === undefined ? undefined : digest(token);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...guardHeaders, 'x-request-id': request.id });
    if (dev) checkHost(request);
    checkOrigin(request);
    if (expected && request.routeOptions.config.open !== true) checkToken(request, expected);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered without a token. */
    open?: boolean;
  }
}

/** Whether an address can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function checkHost({ hostname }: FastifyRequest): void {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) > 0 || name === 'localhost' || name.endsWith('.localhost')) return;
  throw new Refusal('wrong-host', 'in development the server answers to localhost and to addresses only');
}

/** Browsers say where a changing request comes from; programs say nothing. */
function checkOrigin({ method, headers: { origin, host, 'sec-fetch-site': site } }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const foreign = origin !== undefined && hostOf(origin) !== host;
  if (foreign || site === 'cross-site' || site === 'same-site')
    throw new Refusal('not-allowed', 'requests from pages of other sites are refused');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function checkToken({ headers: { authorization } }: FastifyRequest, expected: Buffer): void {
  const given = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
  if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
  throw new Refusal('not-signed-in', 'send the token of this server: "Authorization: Bearer …"');
}

/** Of one length, as comparing in constant time needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
