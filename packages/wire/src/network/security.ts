/**
 * Who may talk to whom: the token that every call carries, and the certificates behind TLS. The join token lets in nodes
 * of the cluster; an invitation lets in one worker, which may open a session and nothing else.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Code, ConnectError, createContextKey, type Interceptor } from '@connectrpc/connect';
import type { Caller, Invited } from '../caller.ts';
import { WrongTokens } from './wrong-tokens.ts';

/** What protects the connections of a node. */
export interface Security {
  /** What this node shows to others. Without one everybody may call, so a server then stays on its machine. */
  readonly token?: string;
  /** The tokens that others may show, several while they are replaced. Default: the own one. */
  readonly accepted?: readonly string[];
  /** Finds the invitation whose token has this hash; only masters have any. */
  readonly findInvitation?: (hash: string) => Promise<Invited | undefined>;
  /** Hears of callers that show wrong tokens. */
  readonly warn?: (text: string) => void;
  readonly tls?: Tls;
}

/** Certificates as PEM texts. */
export interface Tls {
  /** Who signs the certificates of the cluster: only servers with such a one are talked to. */
  readonly ca: string;
  /** What this node shows as a server, and as a caller where it is asked to. */
  readonly own?: { readonly cert: string; readonly key: string };
  /** Callers have to show a certificate of the cluster too. */
  readonly verifyClients?: boolean;
}

/** Where a call comes from, and once it was let in, who it is. */
export const remoteAddress = createContextKey('', { description: 'address of the caller' });
export const callerKey = createContextKey<Caller>({ isLocal: false }, { description: 'the caller' });

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

/** Refuses every call without a token, before anything else of it is read, and tells the others apart. */
export function guarding({
  token,
  accepted = token === undefined ? [] : [token],
  findInvitation,
  warn = () => {},
}: Security): Interceptor[] {
  const expected = accepted.map((each) => digest(`Bearer ${each}`));
  const wrong = new WrongTokens(warn);
  return [
    (next) => async (request) => {
      const { header, contextValues } = request;
      const address = contextValues.get(remoteAddress);
      const isLocal = isLoopbackAddress(address);
      const shown = header.get('authorization') ?? '';
      // All are compared: how long it takes tells nothing.
      const known = expected.filter((each) => timingSafeEqual(digest(shown), each)).length > 0;
      if (known || expected.length === 0) {
        contextValues.set(callerKey, { isLocal });
        return next(request);
      }
      // Before the look-up: what many wrong tokens cost is bounded.
      if (wrong.isBarred(address))
        throw new ConnectError('too many wrong join tokens; wait a minute', Code.ResourceExhausted);
      const invited = await findInvitation?.(tokenHash(shown.replace(/^Bearer /, '')));
      if (!invited) {
        wrong.count(address);
        throw new ConnectError(
          'the join token is missing or wrong; start this process with the token of the cluster, or with an invitation',
          Code.Unauthenticated,
        );
      }
      contextValues.set(callerKey, { isLocal, invited });
      return next(request);
    },
  ];
}

/** What is kept of an invitation's token. */
export function tokenHash(token: string): string {
  return digest(token).toString('hex');
}

/** What the api shows to a worker that joined by invitation, to read its logs: both know the hash of the invitation. */
export function logToken(invitationHash: string): string {
  return digest(`logs ${invitationHash}`).toString('hex');
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** Of one length, as comparing in constant time needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
