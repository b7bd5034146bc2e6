/**
 * Sessions of browsers: a secret of its own in a cookie that no page can read and no other site can send. The server
 * keeps its hash, so that signing out ends it, and so does the end of its token.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'orrery_session';

/** Milliseconds for which a session is good, at most. */
export const SESSION_TIME = 30 * 24 * 3_600_000;

/** The secret of the session that a browser sends. */
export function sessionOf({ headers }: FastifyRequest): string | undefined {
  const pair = headers.cookie
    ?.split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(`${NAME}=`));
  return pair?.slice(NAME.length + 1);
}

/** Sets the session cookie; without a session, clears it. */
export function setSession(
  reply: FastifyReply,
  secret: string | undefined,
  { path, secure, seconds = 0 }: { path: string; secure: boolean; seconds?: number },
): void {
  const age = secret === undefined ? 0 : Math.max(0, seconds);
  const parts = [`${NAME}=${secret ?? ''}`, `Path=${path}`, `Max-Age=${age}`, 'HttpOnly', 'SameSite=Strict'];
  reply.header('set-cookie', [...parts, ...(secure ? ['Secure'] : [])].join('; '));
}
