/**
 * Whether someone has to sign in:
 *
 *     unknown ── answer ──► open ── 401 ──► expired ── token accepted ──► open
 *     unknown ── 401 ──► needed ── token accepted ──► open
 *
 * `needed` leads to the sign-in page. `expired` asks above the page one is on, so that whatever was typed stays. The
 * token itself becomes a cookie that no script can read.
 */
import { share, useShared } from './shared.ts';

/** How it stands. */
export type Session = 'unknown' | 'open' | 'needed' | 'expired';

const session = share<Session>('unknown');

/** An answer came, or a token was accepted: whoever asks may. */
export function openSession(): void {
  session.set('open');
}

/** A request was refused for want of a token. */
export function askToSignIn(): void {
  const before = session.get();
  session.set(before === 'unknown' || before === 'needed' ? 'needed' : 'expired');
}

/** How it stands, followed. */
export function useSession(): Session {
  return useShared(session);
}
