/**
 * What the first script of the page has begun before the rest of them was read: requests whose answers are taken here
 * by the first who asks for the same, and what other tabs said in the meantime.
 */
import { tabsName } from './requests.ts';

/** Begun by `first.ts`. */
export interface Early {
  /** By address. */
  readonly answers: Map<string, { readonly answer: Promise<Response>; readonly control: AbortController }>;
  /** The talk of the tabs of this browser, listened to since before the first request. */
  readonly channel: BroadcastChannel | undefined;
  readonly heard: MessageEvent[];
}

/** The place where both find it. */
export interface WithEarly {
  orreryEarly?: Early;
}

const early = (globalThis as WithEarly).orreryEarly;

/** An answer that nobody has taken so long after it came is let go: who asks later wants to know how it is then. */
const KEPT = 5_000;

for (const [address, { answer }] of early?.answers ?? [])
  void answer.catch(() => {}).then(() => setTimeout(() => early?.answers.delete(address), KEPT));

/** The time from which an answer that is asked for now may be: one that was asked for early is as old as the page. */
export function askedAt(): number {
  return early && early.answers.size > 0 ? performance.timeOrigin : Date.now();
}

/** `fetch` that takes the answer to what was asked for early, once. */
export const fetchOrTake: typeof fetch = (input, init) => {
  const address = String(input);
  const begun = init?.method === 'GET' ? early?.answers.get(address) : undefined;
  if (!begun) return fetch(input, init);
  early?.answers.delete(address);
  const { signal } = init ?? {};
  signal?.addEventListener('abort', () => begun.control.abort(signal.reason));
  return begun.answer;
};

/** What the channel between tabs, and the locks they share, go by. */
export const tabsHere = tabsName(new URL('.', document.baseURI));

/** The channel between tabs; undefined where the browser has none. */
export const tabs: BroadcastChannel | undefined =
  early?.channel ?? ('BroadcastChannel' in globalThis ? new BroadcastChannel(tabsHere) : undefined);

/** Says again what other tabs said before anyone listened; called once, when someone does. */
export function hearTabs(): void {
  if (!early?.channel) return;
  early.channel.onmessage = null;
  for (const { data } of early.heard.splice(0))
    early.channel.dispatchEvent(new MessageEvent('message', { data }));
}
