/**
 * Whether the user has to sign in:
 *
 *     unknown ── answer ──► open ── 401 ──► expired ── token accepted ──► open
 *     unknown ── 401 ──► needed ── token accepted ──► open
 *
 * `needed` leads to the sign-in page. `expired` opens a dialog above the present page, so that typed text
 * stays. The token itself becomes a cookie that no script can read.
 */
import { share, useShared } from './shared.ts';

/** The state of the session. */
export type Session = 'unknown' | 'open' | 'needed' | 'expired';

const session = share<Session>('unknown');

/** An answer came or a token was accepted: the caller is signed in. */
export function openSession(): void {
  session.set('open');
}

/** A request was refused for want of a token. */
export function askToSignIn(): void {
  const before = session.get();
  session.set(before === 'unknown' || before === 'needed' ? 'needed' : 'expired');
}

/** The state of the session; renders again when it changes. */
export function useSession(): Session {
  return useShared(session);
}
