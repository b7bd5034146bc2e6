/** The server this page came from, through the client that programs use too. */
import { type AnswerOf, ApiProblem, type Client, createClient, type InputOf } from '@orrery/sdk/client';
import { fetchOrTake } from '../first/early.ts';
import { askToSignIn, openSession } from './session.ts';

/** What can be asked of the server. */
export type OperationId = Exclude<keyof Client, 'all' | 'open' | 'transport'>;

export type { AnswerOf, InputOf };

/** The address of the console without a slash at its end; pages and the API are below it. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** A server that takes half a minute is slow, and its answer is worth waiting for: asked again it would take as long. */
const PATIENCE = 90_000;

/** The client. Tries each request once: its callers know better when to retry. */
export const client = createClient({ url: base, retries: 0, timeout: PATIENCE, fetch: fetchOrTake });

/** Calls an operation by name; a refusal for want of a token asks the person for one. */
export async function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: { signal?: AbortSignal; onHeaders?: (headers: Headers) => void },
): Promise<AnswerOf<Id>> {
  try {
    const ask = client[id] as (input: InputOf<Id>, options?: object) => Promise<AnswerOf<Id>>;
    const answer = await ask(input, options);
    if (id !== 'checkHealth' && id !== 'checkReady' && id !== 'signIn' && id !== 'signOut') openSession();
    return answer;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401 && id !== 'signIn') askToSignIn();
    throw error;
  }
}
