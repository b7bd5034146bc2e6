/**
 * Requests that nobody would write by hand: no crash, no answer of a defect, and bounded memory. With the frames of
 * `wire-fuzz.test.ts` they are 50,000; in the full tier a million, each round from another number and on a fresh server,
 * so that a round stays as cheap as the first.
 */
import { operationIds, operationOf } from '@orrery/contract';
import { heldMemory } from '@orrery/testkit/memory';
import { Random } from '@orrery/testkit/random';
import { seeds } from '@orrery/testkit/tier';
import { expect, it } from 'vitest';
import { exampleOf, seed as makeWorld, type Sent } from './world.ts';

/** Of one round. */
const REQUESTS = 10_000;

/** Requests under way at once. */
const AT_ONCE = 50;

/** Bytes that a round may hold at its end: of its world and its database in memory, most of it what requests made. */
const MOST_GROWTH = 128 * 1024 * 1024;

const pieces = [
  ...[
    '\0',
    '%00',
    '..',
    '/',
    '//',
    '?',
    '#',
    '&',
    '=',
    '"',
    "'",
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\\',
    '\n',
    '\r\n',
  ],
  ...[
    'null',
    'true',
    '-1',
    '1e999',
    '9007199254740993',
    '__proto__',
    'constructor',
    '${secret.x}',
    '💥',
    '\ud800',
  ],
  ...[
    'application/json',
    'text/plain',
    'application/yaml',
    'multipart/form-data',
    'Bearer ',
    'orrery_session=',
  ],
];

it.each(seeds(1, 20))(
  `answers ${REQUESTS} requests of any kind without a fault, from seed %i`,
  {
    timeout: 600_000,
  },
  async (from) => {
    const source = new Random(from);
    const random = () => source.next();
    const pick = <T>(list: readonly T[]): T => source.pick(list);
    /** A text with a few places changed. */
    const bent = (text: string): string => {
      const at = Math.floor(random() * (text.length + 1));
      const length = Math.floor(random() * 4);
      const put = random() < 0.5 ? pick(pieces) : String.fromCharCode(Math.floor(random() * 256));
      return `${text.slice(0, at)}${put.repeat(random() < 0.02 ? 2_000 : 1)}${text.slice(at + length)}`;
    };
    const world = await makeWorld();
    // Streams without end are for others; what ends the world would leave nothing to ask for.
    const ids = operationIds.filter((id) => operationOf(id).stream?.type !== 'text/event-stream');
    const examples = ids.map((id) => exampleOf(id, world));
    const request = (): Sent => {
      const sent = pick(examples);
      const headers = { ...sent.headers };
      const change = random();
      if (change < 0.3)
        return {
          ...sent,
          url: bent(sent.url).replace(/[^\x21-\x7e]/gu, (text) => encodeURIComponent(text.toWellFormed())),
        };
      if (change < 0.6) return { ...sent, payload: bent(String(sent.payload ?? '{}')) };
      if (change < 0.8) {
        const name = pick([
          ...Object.keys(headers),
          'content-type',
          'cookie',
          'origin',
          'if-match',
          'idempotency-key',
        ]);
        headers[name] = bent(headers[name] ?? '').replace(/[^\x20-\x7e]/g, '');
        return { ...sent, headers };
      }
      if (change < 0.9) return { ...sent, method: pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) };
      return { ...pick(examples), url: sent.url, payload: sent.payload, headers };
    };
    const faults: unknown[] = [];
    const before = heldMemory();
    let left = REQUESTS;
    const ask = async () => {
      while (left-- > 0) {
        const sent = request();
        const { statusCode, body } = await world.api.app.inject(sent as object);
        // Busy is an answer; a defect is none.
        if (statusCode >= 500 && statusCode !== 503)
          faults.push([from, sent, statusCode, body.slice(0, 500)]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    expect(faults.slice(0, 3)).toEqual([]);
    expect(world.api.defects.slice(0, 3)).toEqual([]);
    expect(heldMemory() - before).toBeLessThan(MOST_GROWTH);
    expect((await world.api.get('/health')).status).toBeLessThan(500);
    await world.api.app.close();
    await world.api.store.close();
  },
);
