/**
 * Authentication between nodes: the token on every call, and the certificates behind TLS. The join token lets
 * in nodes of the cluster; an invitation lets in one worker, which may open a session and nothing else.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Code, ConnectError, createContextKey, type Interceptor } from '@connectrpc/connect';
import type { Caller, Invited } from '../caller.ts';
import { WrongTokens } from './wrong-tokens.ts';

/** Protection of a node's connections. */
export interface Security {
  /**
   * Token that this node sends. Without one anybody may call, so the server then listens on its machine only.
   */
  readonly token?: string;
  /** Tokens accepted from others, several during rotation. Default: the own token. */
  readonly accepted?: readonly string[];
  /** Finds the invitation by its token's hash; only masters have invitations. */
  readonly findInvitation?: (hash: string) => Promise<Invited | undefined>;
  /** Called for callers that show wrong tokens. */
  readonly warn?: (text: string) => void;
  readonly tls?: Tls;
}

/** Certificates as PEM texts. */
export interface Tls {
  /**
   * The authority that signs the cluster's certificates: a node calls only servers with such a certificate.
   */
  readonly ca: string;
  /** This node's certificate as a server, and as a caller when the server asks for one. */
  readonly own?: { readonly cert: string; readonly key: string };
  /** Requires a certificate of the cluster from callers too. */
  readonly verifyClients?: boolean;
}

/** The address of a caller and, once let in, the caller itself. */
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

/** Refuses every call without a valid token before reading the rest, and identifies the caller. */
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
      // All tokens are compared, so the time it takes reveals nothing.
      const known = expected.filter((each) => timingSafeEqual(digest(shown), each)).length > 0;
      if (known || expected.length === 0) {
        contextValues.set(callerKey, { isLocal });
        return next(request);
      }
      // Checked before the look-up, which bounds the cost of many wrong tokens.
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

/** The stored form of an invitation's token. */
export function tokenHash(token: string): string {
  return digest(token).toString('hex');
}

/** The token with which the API reads the logs of an invited worker: both know the hash of the invitation. */
export function logToken(invitationHash: string): string {
  return digest(`logs ${invitationHash}`).toString('hex');
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** Digests have one length, which a constant-time comparison needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
