/** Who may talk to whom: the join token that every call carries, and the certificates behind TLS. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';

/** What protects the connections of a node. */
export interface Security {
  /** The secret of the cluster. Without one everybody may call, so a server then stays on its machine. */
  readonly token?: string;
  readonly tls?: Tls;
}

/** Certificates as PEM texts. */
export interface Tls {
  /** Who signs the certificates of the cluster: only servers with such a one are talked to. */
  readonly ca: string;
  /** What this node shows as a server; a node that only calls others needs none. */
  readonly own?: { readonly cert: string; readonly key: string };
}

/** Puts the token on every call. */
export function bearing({ token }: Security): Interceptor[] {
  if (token === undefined) return [];
  return [
    (next) => (request) => {
      request.header.set('authorization', `Bearer ${token}`);
      return next(request);
    },
  ];
}

/** Refuses every call without the token, before anything else of it is read. */
export function guarding({ token }: Security): Interceptor[] {
  if (token === undefined) return [];
  const expected = digest(`Bearer ${token}`);
  return [
    (next) => (request) => {
      if (timingSafeEqual(digest(request.header.get('authorization') ?? ''), expected)) return next(request);
      throw new ConnectError(
        'the join token is missing or wrong; start this process with the token of the cluster',
        Code.Unauthenticated,
      );
    },
  ];
}

/** Of one length, as comparing in constant time needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
