/**
 * Browser sessions, each identified by the hash of its cookie. A session ends at sign-out or with its token.
 */
import { change, type Operation, row } from '../../operation.ts';
import { audit } from './audit.ts';

/** Session limit of a token; a further session ends the oldest. */
const MOST = 100;

/** Records a session of a token (0: the server's own) until a time. */
export function* createSession(input: {
  readonly hash: string;
  readonly token: number;
  readonly by: string;
  readonly expiresAt: number;
  readonly now: number;
}): Operation<void> {
  const { hash, token, by, expiresAt, now } = input;
  yield* change('DELETE FROM session WHERE expires_at <= ?1', now);
  yield* change(
    `DELETE FROM session WHERE hash IN (
       SELECT hash FROM session WHERE token = ?1 ORDER BY created_at DESC, hash LIMIT 1000 OFFSET ?2)`,
    token,
    MOST - 1,
  );
  yield* change(
    'INSERT INTO session (hash, token, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)',
    hash,
    token,
    now,
    expiresAt,
  );
  yield* audit(by, 'session.start', by, { token, expiresAt }, now);
}

/** The token of a session that has not ended. */
export function* findSession(input: {
  readonly hash: string;
  readonly now: number;
}): Operation<{ readonly token: number } | undefined> {
  return yield* row<{ token: number }>(
    'SELECT token FROM session WHERE hash = ?1 AND expires_at > ?2',
    input.hash,
    input.now,
  );
}

/** Ends a session; false if it did not exist. */
export function* endSession(input: {
  readonly hash: string;
  readonly by: string;
  readonly now: number;
}): Operation<boolean> {
  const ended = yield* change('DELETE FROM session WHERE hash = ?1', input.hash);
  if (ended > 0) yield* audit(input.by, 'session.end', input.by, {}, input.now);
  return ended > 0;
}

/** Ends a token's sessions, within another operation. */
export function* endSessionsOf(token: number): Operation<void> {
  yield* change('DELETE FROM session WHERE token = ?1', token);
}
