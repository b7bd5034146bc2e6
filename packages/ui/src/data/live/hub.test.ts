import { type LiveUpdate, liveRules } from '@orrery/sdk/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHub, type Hub } from './hub.ts';
import { createTabLocks } from './tab-locks.ts';

const frame = (seq: string): LiveUpdate => ({ kind: 'frame', seq, events: [] });

/** A stream that the test feeds; it notes what each connection asked for. */
function feed() {
  const connections: {
    topics: readonly string[];
    after: string | undefined;
    push(update: LiveUpdate): void;
    open: boolean;
  }[] = [];
  return {
    connections,
    get live() {
      return connections.filter(({ open }) => open);
    },
    async *watch(
      topics: readonly string[],
      { after, signal, onState }: { after?: string; signal: AbortSignal; onState: (state: 'live') => void },
    ): AsyncGenerator<LiveUpdate> {
      // As the server does.
      if (topics.length > liveRules.mostTopics) throw new Error('too many topics');
      const queue: LiveUpdate[] = [];
      let wake = () => {};
      const connection = {
        topics,
        after,
        open: true,
        push(update: LiveUpdate) {
          queue.push(update);
          wake();
        },
      };
      connections.push(connection);
      signal.addEventListener('abort', () => {
        connection.open = false;
        wake();
      });
      onState('live');
      while (connection.open) {
        const next = queue.shift();
        if (next) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

/** Waits as long as a slow machine may take. */
const until = (check: () => boolean | undefined) => vi.waitUntil(check, { timeout: 20_000 });

let hubs: Hub[] = [];
afterEach(() => {
  for (const hub of hubs) hub.stop();
  hubs = [];
});

interface TabOptions {
  readonly first?: string | null;
  readonly now?: () => number;
  /** The browser has no locks; gives the channel that its tabs agree by. */
  readonly talk?: (name: string, tab: number) => BroadcastChannel;
}

let browser = 0;
/** Tabs of one console: locks are shared by name, so each has a name of its own. */
function tabs(count: number, { first = 'begin' as string | null, now = Date.now, talk }: TabOptions = {}) {
  const name = `hub-test-${process.pid}-${browser++}`;
  const source = feed();
  const made = Array.from({ length: count }, (_, k) => {
    const hub = createHub({
      locks: talk ? createTabLocks(talk(`${name} locks`, k), `${k}`, now) : navigator.locks,
      channel: new BroadcastChannel(name),
      name,
      tab: `${k}`,
      now,
      first: () => first ?? undefined,
      watch: source.watch,
    });
    hubs.push(hub);
    return hub;
  });
  return { source, hubs: made, name };
}

const seen = (hub: Hub) => {
  const found: string[] = [];
  hub.onUpdate(({ seq }) => found.push(seq));
  return found;
};

describe('the tabs of a browser', () => {
  it('share one stream with the topics of all of them', async () => {
    const { source, hubs: all } = tabs(8);
    const heard = all.map(seen);
    all.forEach((hub, k) => {
      hub.want([`run:${k % 4}`]);
    });
    await until(() => source.live[0]?.topics.length === 4);
    expect(source.live).toHaveLength(1);
    source.live[0].push(frame('5'));
    await until(() => heard.every((list) => list.includes('5')));
    expect(all.every((hub) => hub.state() === 'live')).toBe(true);
  });

  it('have nothing to do with those of another console of the same origin', async () => {
    const [here, there] = [tabs(2), tabs(2)];
    for (const { hubs: own } of [here, there]) for (const hub of own) hub.want(['runs']);
    await until(() => here.source.live.length === 1 && there.source.live.length === 1);
    const heard = there.hubs.map(seen);
    here.source.live[0].push(frame('5'));
    there.source.live[0].push(frame('6'));
    await until(() => heard.every((list) => list.includes('6')));
    expect(heard.flat()).not.toContain('5');
  });

  it('pass it on when the one that holds it is closed, from where it was', async () => {
    const {
      source,
      hubs: [one, other],
    } = tabs(2);
    one.want(['runs']);
    other.want(['runs']);
    await until(() => source.live.length === 1);
    const heard = seen(other);
    source.live[0].push(frame('7'));
    await until(() => heard.includes('7'));
    one.stop();
    await until(() => source.live[0]?.after === '7');
    expect(source.live).toHaveLength(1);
    source.live[0].push(frame('8'));
    await until(() => heard.includes('8'));
  });

  it('forget the topics of a tab that is gone', async () => {
    const {
      source,
      hubs: [one, other],
    } = tabs(2);
    one.want(['runs']);
    other.want(['run:9']);
    await until(() => source.live[0]?.topics.join() === 'run:9,runs');
    other.stop();
    await until(() => source.live[0]?.topics.join() === 'runs');
  });
});

describe('more topics than a stream may have', () => {
  /** The topics that a tab is told may have changed, as they come. */
  const told = (hub: Hub) => {
    const topics: string[] = [];
    hub.onUpdate((update) => {
      if (update.kind === 'frame')
        topics.push(...update.events.filter(({ kind }) => kind === 'many').map(({ topic }) => topic));
    });
    return topics;
  };

  it('leave out those of the tab that was seen least lately, which reads again by itself', async () => {
    const {
      source,
      hubs: [leader, seldom, often],
    } = tabs(3);
    leader.want(['runs']);
    await until(() => source.live.length === 1);
    seldom.want(['run:1', 'me']);
    await until(() => source.live[0]?.topics.includes('run:1'));
    const [ofSeldom, ofOften] = [told(seldom), told(often)];
    often.want(Array.from({ length: liveRules.mostTopics - 2 }, (_, k) => `run:${k + 2}`));
    await until(() => source.live[0]?.topics.length === liveRules.mostTopics);
    expect(source.live[0].topics).not.toContain('run:1');
    expect(source.live[0].topics).toEqual(expect.arrayContaining(['me', 'run:2', 'runs']));
    expect(seldom.state()).toBe('live');
    await until(() => ofSeldom.length > 0);
    expect(new Set(ofSeldom)).toEqual(new Set(['run:1']));

    // Another one is left out instead; what changed before the stream has it is read once more.
    ofSeldom.length = 0;
    seldom.toFront();
    await until(() => source.live[0]?.topics.includes('run:1'));
    await until(() => ofSeldom.length > 0);
    expect(source.live[0].topics).toHaveLength(liveRules.mostTopics);
    await until(() => ofOften.length > 0);
    expect(new Set(ofOften).size).toBe(1);
    expect(source.live[0].topics).not.toContain(ofOften[0]);
  });

  it('are all of the stream again when there are fewer', async () => {
    const {
      source,
      hubs: [one, other],
    } = tabs(2);
    one.want(['run:9000']);
    await until(() => source.live.length === 1);
    const leave = other.want(Array.from({ length: liveRules.mostTopics }, (_, k) => `run:${k + 1}`));
    await until(() => source.live[0]?.topics.includes('run:100'));
    const ofOne = told(one);
    leave();
    await until(() => source.live[0]?.topics.join() === 'run:9000');
    await until(() => ofOne.length > 0);
    expect(ofOne).toEqual(['run:9000']);
  });
});

describe('the tabs of a browser without locks', () => {
  const channels: BroadcastChannel[] = [];
  afterEach(() => {
    for (const channel of channels.splice(0)) channel.close();
  });
  const open = (name: string) => {
    const channel = new BroadcastChannel(name);
    channels.push(channel);
    return channel;
  };

  it('share one stream all the same, and pass it on', async () => {
    const { source, hubs: all } = tabs(4, { talk: open });
    const heard = all.map(seen);
    all.forEach((hub, k) => {
      hub.want([`run:${k}`]);
    });
    await until(() => source.live[0]?.topics.length === 4);
    expect(source.live).toHaveLength(1);
    source.live[0].push(frame('5'));
    await until(() => heard.every((list) => list.includes('5')));
    all[0].stop();
    await until(() => source.live.length === 1 && source.live[0].topics.join() === 'run:1,run:2,run:3');
  });

  it('know of a tab that was taken for gone while it had no lock yet', async () => {
    const {
      source,
      hubs: [one],
      name,
    } = tabs(1, { talk: open });
    one.want(['runs']);
    await until(() => source.live.length === 1);
    // Asks for its own lock and tells its topics at once: the leader asks for that lock too, and comes first by its name.
    const late = createHub({
      locks: createTabLocks(open(`${name} locks`), '1', Date.now),
      channel: open(name),
      name,
      tab: '1',
      now: Date.now,
      first: () => 'begin',
      watch: source.watch,
    });
    hubs.push(late);
    late.want(['run:7']);
    await until(() => source.live[0]?.topics.join() === 'run:7,runs');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(source.live[0].topics).toEqual(['run:7', 'runs']);
  });

  it('take it over from one that sleeps, which follows when it wakes', async () => {
    let asleep = false;
    /** The talk of the first tab is lost while it sleeps. */
    const talk = (name: string, tab: number) => {
      const channel = open(name);
      if (tab > 0) return channel;
      const listen = channel.addEventListener.bind(channel);
      const post = channel.postMessage.bind(channel);
      return {
        postMessage: (message: unknown) => asleep || post(message),
        addEventListener: (kind: 'message', hear: (event: MessageEvent) => void) =>
          listen(kind, (event) => asleep || hear(event as MessageEvent)),
      } as unknown as BroadcastChannel;
    };
    const {
      source,
      hubs: [one, other],
    } = tabs(2, { talk });
    one.want(['runs']);
    await until(() => source.live.length === 1);
    other.want(['runs', 'run:2']);
    asleep = true;
    await until(() => source.live.length === 2);
    asleep = false;
    await until(() => source.live.length === 1);
    expect(source.live[0].topics).toEqual(['run:2', 'runs']);
    const heard = seen(one);
    source.live[0].push(frame('9'));
    await until(() => heard.includes('9'));
  });
});

describe('one tab', () => {
  it('has a stream of its own where the browser refuses it locks', async () => {
    const source = feed();
    let asked = 0;
    const request = async () => {
      // Asked again and again it would never let go of the page.
      if (++asked > 10) await new Promise(() => {});
      throw new DOMException('denied', 'SecurityError');
    };
    const hub = createHub({
      locks: { request } as unknown as LockManager,
      channel: new BroadcastChannel(`denied-${process.pid}`),
      name: 'denied',
      tab: '0',
      now: Date.now,
      first: () => 'begin',
      watch: source.watch,
    });
    hubs.push(hub);
    hub.want(['runs']);
    await until(() => source.live.length === 1);
    expect(asked).toBe(2);
  });

  it('begins where its first answer was read, and a little before where it was after its topics changed', async () => {
    let now = 1_000;
    const {
      source,
      hubs: [hub],
    } = tabs(1, { now: () => now });
    hub.want(['runs']);
    await until(() => source.live.length === 1);
    expect(source.live[0].after).toBe('begin');
    const heard = seen(hub);
    for (const seq of ['1', '2', '3']) {
      source.live[0].push(frame(seq));
      await until(() => heard.includes(seq));
      now += 1_500;
    }
    hub.want(['run:1']);
    await until(() => source.live[0]?.topics.length === 2);
    expect(source.live[0].after).toBe('2');
  });

  it('waits for an answer to begin from, but not for ever', async () => {
    const {
      source,
      hubs: [hub],
    } = tabs(1, { first: null });
    hub.want(['runs']);
    await until(() => source.live.length === 1);
    expect(source.live[0].after).toBeUndefined();
  });

  it('listens to nothing when nothing is wanted any more', async () => {
    const {
      source,
      hubs: [hub],
    } = tabs(1);
    const leave = hub.want(['runs']);
    await until(() => source.live.length === 1);
    leave();
    await until(() => source.live.length === 0);
  });
});
