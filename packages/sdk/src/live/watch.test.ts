import { describe, expect, it } from 'vitest';
import { createClient } from '../client/client.ts';
import { breakOff, json, problem, type Reply, scriptedServer } from '../testing/scripted-server.ts';
import { type LiveUpdate, watch } from './watch.ts';
import { watchRun } from './watch-run.ts';

function message(event: string, seq: number, content: object = {}): string {
  return `id: ${seq}\nevent: ${event}\ndata: ${JSON.stringify({ seq: String(seq), ...content })}\n\n`;
}

function frame(seq: number, ...versions: (readonly [id: number, version: number])[]): string {
  const events = versions.map(([id, version]) => ({
    topic: 'runs',
    kind: 'run',
    id,
    version,
    patch: { id },
  }));
  return message('frame', seq, { events });
}

/** Sends these messages and then breaks off, or stays open. */
function stream(messages: readonly string[], { stay = false } = {}): Reply {
  return (answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.write(messages.join(''), () => {
      if (!stay) answer.destroy();
    });
  };
}

function patientClient(url: string, waits: number[] = []) {
  return createClient({
    url,
    random: () => 0.5,
    sleep: async (milliseconds) => void waits.push(milliseconds),
  });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const told = (update: LiveUpdate) =>
  update.kind === 'frame'
    ? update.events.map(({ id, version }) => `${id}v${version}`).join(' ')
    : update.kind;

describe('watch', () => {
  it('goes on after a broken connection from the last message it has seen', async () => {
    await using server = await scriptedServer(
      stream([message('hello', 4), frame(5, [1, 1]), 'id: 6\nevent: frame\ndata: {"cut']),
      breakOff,
      problem(503, 'store-away'),
      stream([message('hello', 5), frame(6, [1, 2])], { stay: true }),
    );
    const waits: number[] = [];
    const states: string[] = [];
    const seen: string[] = [];
    const updates = watch(patientClient(server.url, waits), ['runs', 'run:1'], {
      after: '3',
      onState: (state) => states.push(state),
    });
    for await (const update of updates) {
      seen.push(told(update));
      if (seen.length === 4) break;
    }
    expect(seen).toEqual(['hello', '1v1', 'hello', '1v2']);
    expect(server.asked.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual([
      ['/api/v1/events?topics=runs%2Crun%3A1&after=3', undefined],
      ['/api/v1/events?topics=runs%2Crun%3A1', '5'],
      ['/api/v1/events?topics=runs%2Crun%3A1', '5'],
      ['/api/v1/events?topics=runs%2Crun%3A1', '5'],
    ]);
    expect(states.join(' ')).toBe(
      'connecting live waiting connecting waiting connecting waiting connecting live',
    );
    expect(waits).toEqual([625, 625, 625]);
  });

  it('waits a second at most at first, longer for who is long away, and never more than 15 s', async () => {
    await using server = await scriptedServer(breakOff);
    const waits: number[] = [];
    const gone = new AbortController();
    const client = createClient({
      url: server.url,
      random: () => 1,
      sleep: async (milliseconds) => {
        if (waits.push(milliseconds) === 60) gone.abort();
      },
    });
    expect(await collect(watch(client, ['runs'], { signal: gone.signal }))).toEqual([]);
    expect(waits.slice(0, 9)).toEqual(Array(9).fill(750));
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBe(15_000);
  });

  it('drops a change that is older than what came before, and passes resync on', async () => {
    await using server = await scriptedServer(
      stream([
        message('hello', 1),
        frame(2, [1, 5], [2, 1]),
        frame(3, [1, 4]),
        frame(4, [1, 5], [2, 0]),
        message('resync', 5),
        frame(6, [1, 6]),
      ]),
    );
    const seen: string[] = [];
    for await (const update of watch(patientClient(server.url), ['runs'])) {
      seen.push(told(update));
      if (seen.length === 5) break;
    }
    expect(seen).toEqual(['hello', '1v5 2v1', '1v5', 'resync', '1v6']);
  });

  it('throws what the server refuses for good', async () => {
    await using server = await scriptedServer(problem(400, 'bad-request'));
    await expect(collect(watch(patientClient(server.url), ['rums']))).rejects.toMatchObject({
      kind: 'bad-request',
    });
  });

  it('ends quietly when its signal is aborted, also in the middle of a stream', async () => {
    await using server = await scriptedServer(stream([message('hello', 1)], { stay: true }));
    const gone = new AbortController();
    const seen: string[] = [];
    for await (const update of watch(patientClient(server.url), ['runs'], { signal: gone.signal })) {
      seen.push(told(update));
      setImmediate(() => gone.abort());
    }
    expect(seen).toEqual(['hello']);
  });
});

describe('watchRun', () => {
  const shown = (state: string) => ({ id: 12, state, tasks: [] });

  it('yields the run now and after every change, until it has ended', async () => {
    await using server = await scriptedServer(
      json(shown('queued'), { 'orrery-seq': '9' }),
      stream([message('hello', 9), frame(10, [12, 1]), frame(11, [12, 2]), message('resync', 12)], {
        stay: true,
      }),
      json(shown('running'), { 'orrery-seq': '10' }),
      // A change that the last reading has shown already is no news.
      json(shown('running')),
      json(shown('success')),
    );
    const states: string[] = [];
    for await (const { state } of watchRun(patientClient(server.url), 12)) states.push(state);
    expect(states).toEqual(['queued', 'running', 'success']);
    expect(server.asked[1].url).toBe('/api/v1/events?topics=run%3A12&after=9');
  });

  it('asks for no stream when the run has ended', async () => {
    await using server = await scriptedServer(json(shown('failed')));
    const runs = await collect(watchRun(patientClient(server.url), 12));
    expect(runs.map(({ state }) => state)).toEqual(['failed']);
    expect(server.asked).toHaveLength(1);
  });
});
