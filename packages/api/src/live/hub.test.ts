import { Readable } from 'node:stream';
import { liveRules } from '@orrery/contract/live';
import { VirtualClock } from '@orrery/core/timing';
import { openSqlite, type Store, StoreAway } from '@orrery/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandOf } from '../../../store/src/testing.ts';
import { type Identity, root } from '../access/identity.ts';
import { Hub } from './hub.ts';
import { Listener } from './listener.ts';

const MEGABYTE = 1024 * 1024;

let store: Store;
let clock: VirtualClock;
let hub: Hub;
let valid: boolean;
let reads: number;
/** Milliseconds that reading the feed takes. */
let slow: number;
let away: boolean;
beforeEach(async () => {
  store = await openSqlite(':memory:');
  clock = new VirtualClock(1_000_000);
  valid = true;
  reads = 0;
  slow = 0;
  away = false;
  const counted: Store = {
    ...store,
    readFeed: async (input) => {
      reads++;
      if (away) throw new StoreAway('gone', false);
      if (slow > 0) await new Promise<void>((done) => clock.setTimer(slow, done));
      return store.readFeed(input);
    },
  };
  const onDefect = (error: unknown) => {
    throw error;
  };
  hub = new Hub({ store: counted, clock, onDefect, isValid: async () => valid });
});
afterEach(async () => {
  await hub.stop();
  await store.close();
});

function join(topics: string[], identity: Identity = root) {
  const out = new Readable({ read: () => undefined });
  const listener = new Listener({ topics, after: undefined, identity }, out);
  hub.join(listener);
  return { out, listener, text: () => String(out.read() ?? '') };
}

/** Lets time pass, and what it sets off end; in small steps, so that work seems to take next to no time. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5) {
    clock.advance(Math.min(5, left));
    for (let k = 0; k < 5; k++) await new Promise((done) => setImmediate(done));
  }
}

function submit(count: number, project = 'default'): Promise<number[]> {
  const command = commandOf(1, { project });
  return store.submitCommands({ commands: Array.from({ length: count }, () => command), now: 1 });
}

describe('the reader of the feed', () => {
  it('reads nothing while nobody listens, and once for many who do', async () => {
    await pass(5_000);
    expect(reads).toBe(0);
    const all = Array.from({ length: 500 }, () => join(['runs']));
    await pass(100);
    const before = reads;
    const [run] = await submit(1);
    await pass(50);
    for (const { text } of all) expect(text()).toContain(`"id":${run}`);
    expect(reads - before).toBe(1);
    for (const { listener } of all) hub.leave(listener);
    const after = reads;
    await submit(1);
    await pass(5_000);
    expect(reads).toBe(after);
  });

  it('looks again by itself, for what others have written', async () => {
    const { text } = join(['runs']);
    await pass(100);
    const before = reads;
    await pass(2_000);
    expect(reads - before).toBeGreaterThanOrEqual(3);
    expect(text()).toContain('event: hello');
  });

  it('sends at most so many frames in a second, with the latest of each id', async () => {
    const { text } = join(['runs']);
    await pass(100);
    text();
    const runs = [];
    for (let k = 0; k < 100; k++) {
      runs.push(...(await submit(1)));
      await pass(10);
    }
    await pass(100);
    const sent = text();
    expect(sent.match(/event: frame/g)?.length).toBeLessThanOrEqual(liveRules.framesPerSecond + 2);
    for (const run of runs) expect(sent).toContain(`"id":${run},`);
  });

  it('keeps what it sends to the project of a listener', async () => {
    const all = join(['runs']);
    const one = join(['runs'], { ...root, project: 'etl', token: 7 });
    await pass(100);
    const [mine] = await submit(1, 'etl');
    const [other] = await submit(1, 'secret');
    await pass(100);
    expect(all.text()).toContain(`"id":${other},`);
    const seen = one.text();
    expect(seen).toContain(`"id":${mine},`);
    expect(seen).not.toContain('secret');
    await submit(600, 'secret');
    await pass(100);
    expect(all.text()).toContain('"count":600');
    expect(one.text()).toContain('"count":null');
  });

  it('keeps its listeners while the store is away, and then gives them what they missed', async () => {
    const { text } = join(['runs']);
    await pass(100);
    text();
    away = true;
    const [run] = await submit(1);
    await pass(2_000);
    expect(text()).not.toContain('event: frame');
    away = false;
    await pass(1_000);
    expect(text()).toContain(`"id":${run},`);
  });

  it('rests longer where a frame takes long to make', async () => {
    const { text } = join(['runs']);
    await pass(100);
    text();
    slow = 400;
    const before = reads;
    for (let k = 0; k < 40; k++) {
      await submit(1);
      await pass(50);
    }
    // Each turn takes 400 ms and is followed by 1,200 ms of rest.
    expect(reads - before).toBeLessThanOrEqual(3);
    slow = 0;
    await pass(2_000);
    expect(text()).toContain('event: frame');
  });

  it('tells a caller of itself alone', async () => {
    const [one, two] = [7, 8].map((token) => join(['me'], { ...root, token }));
    await pass(100);
    one.text();
    two.text();
    await store.savePreferences({ token: 7, body: '{}', now: 1 });
    await pass(100);
    expect(one.text()).toContain(
      '{"topic":"me","kind":"me","id":"","version":0,"patch":{"what":"preferences"}}',
    );
    expect(two.text()).toBe('');
  });

  it('says what can be done with a thing by the role of each listener', async () => {
    const admin = join(['runs']);
    const viewer = join(['runs'], { ...root, role: 'viewer', token: 7 });
    await pass(100);
    await submit(1);
    await pass(100);
    expect(admin.text()).toContain('{"name":"stop","allowed":true}');
    expect(viewer.text()).toContain(
      '{"name":"stop","allowed":false,"reason":"this needs the role operator; an admin can give it to you","code":"access.needsRole","fields":{"role":"operator"}}',
    );
  });

  it('beats, and then ends those whose token has ended', async () => {
    const { out, text } = join(['runs'], { ...root, token: 7 });
    await pass(liveRules.beatEvery + 100);
    expect(text()).toMatch(/: beat\nid: \S+\n\n/);
    valid = false;
    await pass(liveRules.beatEvery);
    text();
    await new Promise((done) => setImmediate(done));
    expect(out.readableEnded).toBe(true);
  });
});

describe('a listener that does not read', () => {
  it('holds up nobody, is kept to a bound, and is told to read afresh when it is back', async () => {
    const slow = join(['runs']);
    const quick = join(['runs']);
    await pass(100);
    let bytes = 0;
    while (bytes < 3 * MEGABYTE) {
      const ids = await submit(400);
      await pass(50);
      const text = quick.text();
      expect(text).toContain(`"id":${ids[399]},`);
      bytes += text.length;
    }
    expect(slow.out.readableLength).toBeLessThan(1.5 * MEGABYTE);
    expect(slow.out.readableLength).toBeGreaterThan(0.5 * MEGABYTE);
    expect(slow.text()).not.toContain('event: resync');
    await pass(500);
    expect(slow.text()).toMatch(/^id: \S+\nevent: resync\n/);
    const [next] = await submit(1);
    await pass(50);
    expect(slow.text()).toContain(`"id":${next},`);
  });

  it('is given up when it reads nothing for a minute', async () => {
    const slow = join(['runs']);
    await pass(100);
    while (slow.out.readableLength < MEGABYTE) {
      await submit(400);
      await pass(50);
    }
    await pass(6 * liveRules.beatEvery);
    expect(slow.out.destroyed).toBe(true);
  });
});
