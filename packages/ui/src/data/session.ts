/**
 * Who is signed in: a token, kept in the browser so that every tab has it. A refusal for want of one (401) is not an
 * error of the page: the shell asks for a token above it, and whatever was typed stays.
 */
import { keep, useKept } from './kept.ts';

const token = keep('orrery.token', (stored) => (typeof stored === 'string' ? stored : ''));
const asked = keep<boolean>('orrery.asked', () => false);

/** The token for requests; absent where none is needed or known. */
export function currentToken(): string | undefined {
  return token.get() || undefined;
}

/** A request was refused for want of a token: ask for one. */
export function askForToken(): void {
  if (!asked.get()) asked.set(true);
}

/** Takes a token that the server accepted. */
export function signIn(accepted: string): void {
  token.set(accepted);
  asked.set(false);
}

/** Forgets the token and asks for another. */
export function signOut(): void {
  token.set('');
  asked.set(true);
}

/** Whether a token has to be asked for. */
export function useAskedForToken(): boolean {
  return useKept(asked);
}

/** Whether there is a token that could be forgotten. */
export function useSignedIn(): boolean {
  return useKept(token) !== '';
}
