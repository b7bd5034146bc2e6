/**
 * Locks between tabs for browsers without `navigator.locks` (plain HTTP from another machine), by messages
 * only:
 *
 *     wanting ── no answer within a while from a holder or an earlier waiter ──► held ── done ──► free
 *     held ── another tab holds it since later: this tab was asleep ──► lost (the request is rejected)
 *
 * A tab that wants a lock asks every few seconds; the holder answers, and announces itself now and then. A
 * sleeping tab does not answer, loses its locks, and learns so when it wakes. The calls are the part of
 * `navigator.locks` that the hub uses.
 */

type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>;

type Message = {
  readonly kind: 'want' | 'held' | 'free';
  readonly name: string;
  readonly tab: string;
  /** When it was taken. */
  readonly since?: number;
};

/** How long an answer is waited for. */
const ANSWER = 250;
/** Interval at which a waiting tab asks again. */
const AGAIN = 2_000;

/** Locks over a channel that has nothing else to do. */
export function createTabLocks(
  channel: Channel,
  tab: string,
  now: () => number,
): Pick<LockManager, 'request'> {
  const held = new Map<string, { readonly since: number; lose(): void }>();
  const wanted = new Map<string, Set<(message: Message) => void>>();
  const send = (message: Omit<Message, 'tab'>) => channel.postMessage({ ...message, tab });

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const own = held.get(data.name);
    if (own && data.kind === 'want') send({ kind: 'held', name: data.name, since: own.since });
    if (own && data.kind === 'held') {
      const since = data.since ?? 0;
      if (since > own.since || (since === own.since && data.tab > tab)) own.lose();
    }
    for (const hear of wanted.get(data.name) ?? []) hear(data);
  });

  /** Waits until no tab holds the lock and no earlier tab waits for it. */
  async function free(name: string, signal: AbortSignal | undefined): Promise<void> {
    let taken = false;
    let asking = false;
    let wake = () => {};
    const hear = ({ kind, tab: other }: Message) => {
      if (kind === 'held' || (kind === 'want' && other < tab)) taken = true;
      if (kind === 'free' && !asking) wake();
      // It may have begun to listen only after we asked.
      if (kind === 'want' && asking && !taken && other > tab) send({ kind: 'want', name });
    };
    const hearing = wanted.get(name) ?? new Set();
    wanted.set(name, hearing.add(hear));
    const pause = (time: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, time);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal?.addEventListener('abort', wake, { once: true });
      });
    try {
      for (;;) {
        taken = held.has(name);
        asking = true;
        send({ kind: 'want', name });
        await pause(ANSWER);
        asking = false;
        signal?.throwIfAborted();
        if (!taken) return;
        await pause(AGAIN);
        signal?.throwIfAborted();
      }
    } finally {
      hearing.delete(hear);
    }
  }

  async function request(name: string, { signal }: LockOptions, hold: () => unknown): Promise<unknown> {
    await free(name, signal);
    const since = now();
    const lost = new Promise<never>((_, reject) => {
      held.set(name, { since, lose: () => reject(new DOMException('another tab took it', 'AbortError')) });
    });
    const announce = () => send({ kind: 'held', name, since });
    announce();
    // Two that hold it, after one was asleep, hear of each other so.
    const timer = setInterval(announce, AGAIN);
    try {
      return await Promise.race([hold(), lost]);
    } finally {
      clearInterval(timer);
      held.delete(name);
      send({ kind: 'free', name });
    }
  }
  return { request: request as LockManager['request'] };
}
