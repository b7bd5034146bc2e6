/**
 * Sessions of browsers: the token itself, in a cookie that no page can read and no other site can send. So a session
 * ends when its token does, and there is nothing else to keep.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'orrery_session';

/** Seconds for which a browser keeps it, at most. */
const MOST_AGE = 30 * 24 * 3_600;

/** The token that a browser was signed in with. */
export function sessionOf({ headers }: FastifyRequest): string | undefined {
  const pair = headers.cookie
    ?.split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(`${NAME}=`));
  return pair?.slice(NAME.length + 1);
}

/** Has the browser send this token from now on; without one it is told to forget. */
export function setSession(
  reply: FastifyReply,
  token: string | undefined,
  { path, secure, seconds = MOST_AGE }: { path: string; secure: boolean; seconds?: number },
): void {
  const age = token === undefined ? 0 : Math.max(0, Math.min(seconds, MOST_AGE));
  const parts = [`${NAME}=${token ?? ''}`, `Path=${path}`, `Max-Age=${age}`, 'HttpOnly', 'SameSite=Strict'];
  reply.header('set-cookie', [...parts, ...(secure ? ['Secure'] : [])].join('; '));
}
