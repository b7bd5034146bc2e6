/**
 * One event stream per browser, shared by its tabs:
 *
 *     waiting for the lock (follower) ── lock ──► leader: holds the stream, relays its events ── closed ──►
 *     gone
 *
 * Every tab announces its topics; the leader subscribes to all of them, or to as many as one stream may have
 * (`left-out.ts`). If the browser has no locks, the tabs agree by messages (`tab-locks.ts`), and a leader
 * that slept becomes a follower. After a change of topics the stream restarts a little before its position,
 * so that answers read in the meantime miss nothing; repeated events do no harm.
 */
import type { LiveUpdate, WatchState } from '@orrery/sdk/client';
import { createLeftOut, fitTopics } from './left-out.ts';

/** What the hub needs of the browser and of the client. */
export interface HubPorts {
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly channel: Pick<BroadcastChannel, 'postMessage' | 'addEventListener' | 'close'> | undefined;
  /** The prefix of the lock names that the tabs share: one origin may serve several consoles. */
  readonly name: string;
  readonly tab: string;
  readonly now: () => number;
  /** Where the first stream begins: the position of the first answer read. */
  readonly first: () => string | undefined;
  watch(
    topics: readonly string[],
    options: { after?: string; signal: AbortSignal; onState: (state: WatchState) => void },
  ): AsyncIterable<LiveUpdate>;
}

/** The stream as a tab sees it. */
export interface Hub {
  /** Listens to topics until the returned function is called. */
  want(topics: readonly string[]): () => void;
  onUpdate(listener: (update: LiveUpdate) => void): () => void;
  onState(listener: (state: WatchState) => void): () => void;
  state(): WatchState;
  /** The tab came into view: its topics are the last to be left out of a stream that is full. */
  toFront(): void;
  /** Retries at once, after the cause of a refusal may have gone. */
  connectAgain(): void;
  stop(): void;
}

type Message =
  | { readonly kind: 'want'; readonly tab: string; readonly topics: readonly string[] }
  | { readonly kind: 'ask' }
  | { readonly kind: 'update'; readonly update: LiveUpdate }
  | { readonly kind: 'state'; readonly state: WatchState }
  | { readonly kind: 'left'; readonly topics: readonly string[] }
  | { readonly kind: 'again' };

/** How far back a stream restarts: longer than an answer is usually in flight. */
const OVERLAP = 2_000;
/** Pages come and go with their topics; a stream is not opened for each of them. */
const SETTLE = 50;
/** How often the first stream waits that long for an answer to begin from. */
const MOST_WAITS = 20;

export function createHub(ports: HubPorts): Hub {
  const own = new Map<symbol, readonly string[]>();
  /** The leader's record of each tab's topics, the most recently announced last. */
  const wanted = new Map<string, readonly string[]>();
  const updates = new Set<(update: LiveUpdate) => void>();
  const states = new Set<(state: WatchState) => void>();
  const ending = new AbortController();
  const positions: { readonly at: number; readonly seq: string }[] = [];
  let state: WatchState = 'connecting';
  let leads = false;
  let left: readonly string[] = [];
  let stream: { readonly topics: string; readonly control: AbortController } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waits = 0;

  const send = (message: Message) => ports.channel?.postMessage(message);
  const ownTopics = () => [...new Set([...own.values()].flat())];

  const leftOut = createLeftOut((events) => {
    for (const listener of updates) listener({ kind: 'frame', seq: position() ?? '', events });
  });

  function setLeft(topics: readonly string[]) {
    left = topics;
    const ofTab = new Set(ownTopics());
    leftOut.set(left.filter((topic) => ofTab.has(topic)));
  }

  function setWanted(tab: string, topics: readonly string[]) {
    wanted.delete(tab);
    wanted.set(tab, topics);
    settle();
  }

  function setState(next: WatchState) {
    state = next;
    for (const listener of states) listener(next);
  }

  function take(update: LiveUpdate) {
    positions.push({ at: ports.now(), seq: update.seq });
    while (positions.length > 2 && positions[1].at <= ports.now() - OVERLAP) positions.shift();
    for (const listener of updates) listener(update);
  }

  /** The last position that is old enough, or else the first known one. */
  function position(): string | undefined {
    const old = positions.findLast(({ at }) => at <= ports.now() - OVERLAP);
    return (old ?? positions[0])?.seq ?? ports.first();
  }

  function settle() {
    if (!leads || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      listen();
    }, SETTLE);
  }

  function listen() {
    if (ending.signal.aborted) return;
    const { heard: topics, left: beyond } = fitTopics(wanted.values());
    setLeft(beyond);
    send({ kind: 'left', topics: beyond });
    if (stream?.topics === topics.join()) return;
    if (position() === undefined && waits++ < MOST_WAITS) return settle();
    stream?.control.abort();
    stream = undefined;
    if (topics.length === 0) return;
    const control = new AbortController();
    stream = { topics: topics.join(), control };
    void read(topics, control);
  }

  async function read(topics: readonly string[], control: AbortController) {
    const { signal } = control;
    try {
      const onState = (next: WatchState) => {
        if (signal.aborted) return;
        setState(next);
        send({ kind: 'state', state: next });
      };
      for await (const update of ports.watch(topics, { after: position(), signal, onState })) {
        if (signal.aborted) return;
        take(update);
        send({ kind: 'update', update });
      }
    } catch {
      // Refused for good: without a token, or by an older server. The page then counts as stale.
      if (signal.aborted) return;
      stream = undefined;
      setState('waiting');
      send({ kind: 'state', state: 'waiting' });
    }
  }

  function tell() {
    setLeft(left);
    if (leads) setWanted(ports.tab, ownTopics());
    else send({ kind: 'want', tab: ports.tab, topics: ownTopics() });
  }

  ports.channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'want' && leads) {
      if (!wanted.has(data.tab)) forgetWhenGone(data.tab);
      setWanted(data.tab, data.topics);
      send({ kind: 'state', state });
    } else if (data.kind === 'ask' && !leads) tell();
    else if (data.kind === 'update' && !leads) take(data.update);
    else if (data.kind === 'state' && !leads) setState(data.state);
    else if (data.kind === 'left' && !leads) setLeft(data.topics);
    else if (data.kind === 'again') settle();
  });

  /** Each tab holds a lock of its own name: another tab that gets the lock knows that the tab is gone. */
  function forgetWhenGone(tab: string) {
    ports.locks
      ?.request(`${ports.name}-${tab}`, { signal: ending.signal }, () => {
        wanted.delete(tab);
        settle();
      })
      .catch(() => {});
  }

  function lead() {
    leads = true;
    send({ kind: 'ask' });
    tell();
  }

  /** Another tab leads by now. */
  function follow() {
    leads = false;
    clearTimeout(timer);
    timer = undefined;
    stream?.control.abort();
    stream = undefined;
    wanted.clear();
    tell();
  }

  async function leadInTurn(locks: NonNullable<HubPorts['locks']>) {
    const hold = () => {
      lead();
      return untilStopped();
    };
    while (!ending.signal.aborted) {
      let refused = false;
      await locks.request(ports.name, { signal: ending.signal }, hold).catch(() => {
        refused = !leads;
        if (leads && !ending.signal.aborted) follow();
      });
      // A browser that denies the page storage denies it locks too: each tab then has its own stream.
      if (refused && !ending.signal.aborted) return lead();
    }
  }

  const untilStopped = () =>
    new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve(), { once: true }));
  if (ports.locks && ports.channel) {
    // Announced again then: without the lock, the leader may have taken this tab for closed.
    const stay = () => {
      tell();
      return untilStopped();
    };
    ports.locks.request(`${ports.name}-${ports.tab}`, { signal: ending.signal }, stay).catch(() => {});
    void leadInTurn(ports.locks);
  } else lead();

  return {
    want(topics) {
      const key = Symbol();
      own.set(key, topics);
      tell();
      return () => {
        own.delete(key);
        tell();
      };
    },
    onUpdate(listener) {
      updates.add(listener);
      return () => updates.delete(listener);
    },
    onState(listener) {
      states.add(listener);
      return () => states.delete(listener);
    },
    state: () => state,
    toFront: tell,
    connectAgain() {
      send({ kind: 'again' });
      settle();
    },
    stop() {
      clearTimeout(timer);
      leftOut.stop();
      stream?.control.abort();
      ending.abort();
      ports.channel?.close();
    },
  };
}
