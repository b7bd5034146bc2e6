/** The origin of a request, as the audit records it. */
import { type Asker, actFor } from '@orrery/store';
import type { FastifyRequest } from 'fastify';
import type { Identity } from './identity.ts';

/** The caller of a request: the name and number of its token, its address, and the id of the request. */
export function askerOf({ identity, ip, id }: Pick<FastifyRequest, 'identity' | 'ip' | 'id'>): Asker {
  return { ...namedBy(identity), address: ip, request: id };
}

/** Runs work for a caller identified only now, so that refusals name the caller too. */
export function asCaller<T>(request: FastifyRequest, identity: Identity, work: () => T): T {
  request.identity = identity;
  return actFor(askerOf(request), work);
}

function namedBy({ name, token }: Identity): Pick<Asker, 'name' | 'token'> {
  return { name, token: token < 0 ? null : token };
}

/** Names that no token may have: the audit and runs mean something else by them. */
const reserved = new Set(['admin', 'nobody', 'orrery', 'root', 'server', 'system', 'webhook']);

/** Why a token cannot have a name; undefined where it can. */
export function refusedName(name: string): string | undefined {
  // Controls and marks that change the direction of text make a name look like another.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return 'use no control characters';
  if (name !== name.trim()) return 'use no blanks at its ends';
  return reserved.has(name.toLowerCase().normalize('NFKC'))
    ? `${[...reserved].join(', ')} are reserved`
    : undefined;
}
