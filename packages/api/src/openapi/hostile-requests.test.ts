/**
 * Whatever is sent, nothing falls over: every operation on both databases with parts of a valid request replaced by what
 * no honest client sends. An answer never tells of the machine, and the server goes on.
 */
import { join } from 'node:path';
import { operationIds as ids, type OperationId, operationOf, problem } from '@orrery/contract';
import { testDatabases } from '@orrery/testkit/databases';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf, requestOf, type Sent, seed, type World } from './world.ts';

/** Where our sources are. The folder of the clone alone may read like a path of the API. */
const packages = join(import.meta.dirname, '..', '..', '..');

/** Texts that have broken servers. */
const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '..',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '/etc/passwd',
  "'; DROP TABLE run; --",
  '" OR 1=1',
  '<script>alert(1)</script>',
  '${jndi:ldap://x}',
  '$[yyyy',
  '%',
  '%00',
  '%zz',
  '\u202e\u0000',
  '💥'.repeat(50),
  '\ud800',
  'é'.repeat(3_000),
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-1',
  '0',
  '-0',
  '1.5',
  '1e309',
  '0x10',
  '9007199254740993',
  '99999999999999999999999',
  'true',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'toString',
  '1.__proto__.1',
  '1.a:999999.1',
  '999999-12-31T23:59:59Z',
  '-000001-01-01T00:00:00Z',
  '0000-00-00',
  '2026-02-30T99:99:99Z',
  '\n\r\t',
  '\r\nset-cookie: x=1',
] as const;

const hostileText = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'binary', maxLength: 50 }));

const hostileValue = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, [], {}, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, [[[[]]]]),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Bodies that are no JSON, or more than anybody means. */
const rawBodies = [
  '',
  'null',
  '"',
  '{"a":',
  '[1,2',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '['.repeat(5_000) + ']'.repeat(5_000),
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  '\ufeff{}',
  '{"workflow":"\\u0000"}',
  '{"workflow":"\\ud800"}',
  '1e999',
  `{"workflow":"${'x'.repeat(100_000)}"}`,
  '- &a [*a]',
  'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]',
];

/** One change of a valid request. */
const changes = fc.oneof(
  { arbitrary: fc.record({ what: fc.constant('path' as const), with: hostileText }), weight: 2 },
  {
    arbitrary: fc.record({ what: fc.constant('query' as const), at: fc.nat(20), with: hostileText }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ what: fc.constant('body' as const), at: fc.nat(50), with: hostileValue }),
    weight: 4,
  },
  fc.record({ what: fc.constant('raw' as const), with: fc.constantFrom(...rawBodies) }),
  fc.record({ what: fc.constant('bytes' as const), with: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({
    what: fc.constant('header' as const),
    name: fc.constantFrom(
      'if-match',
      'idempotency-key',
      'content-type',
      'accept',
      'content-encoding',
      'last-event-id',
    ),
    with: fc.constantFrom(
      '',
      'x',
      '"',
      '*',
      '"999999999999999999"',
      'text/html',
      'gzip',
      'é',
      'a'.repeat(5_000),
    ),
  }),
);
const tellsHealth = new Set<OperationId>(['checkHealth', 'checkReady']);
type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

describe.each(testDatabases())('hostile requests on $name', ({ open, close }) => {
  let seeded: World;
  beforeAll(async () => {
    seeded = await seed({ store: await open() });
  });
  afterAll(async () => {
    await seeded.api.app.close();
    await close();
  });

  it.each(ids)('%s answers them with a reason', async (id) => {
    const { app, defects } = seeded.api;
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 2 }), async (several) => {
        defects.length = 0;
        let sent = id === 'followEvents' ? requestOf(id, { topics: ['nosuch'] }) : exampleOf(id, seeded);
        for (const change of several) sent = apply(id, sent, change);
        // A stream that is rightly asked for does not end by itself.
        if (/follow=true/.test(sent.url)) return;
        const reply = await app.inject(sent as object);
        expect(defects, `${sent.method} ${sent.url} ${String(sent.payload).slice(0, 200)}`).toEqual([]);
        // No node of the seeded cluster beats, and its health says so.
        if (!(tellsHealth.has(id) && reply.statusCode === 503)) expect(reply.statusCode).toBeLessThan(500);
        expect(reply.body).not.toMatch(
          /node_modules|\.ts:\d|\bat [\w.<>]+ \(|SQLITE|SqliteError|syntax error at/,
        );
        expect(reply.body).not.toContain(packages);
        expect(reply.headers).not.toHaveProperty('set-cookie', 'x=1');
        if (reply.statusCode < 400) return;
        expect(problem.parse(reply.json()).detail).not.toBe('');
      }),
      { numRuns: 40 },
    );
    expect([200, 503]).toContain((await app.inject('/api/v1/health')).statusCode);
  });
});

function apply(id: OperationId, sent: Sent, change: Change): Sent {
  const [path, query = ''] = sent.url.split('?', 2);
  switch (change.what) {
    case 'path': {
      const parts = path.split('/');
      parts[parts.length - 1 - (parts.length > 5 ? 1 : 0)] = asUrl(change.with);
      return { ...sent, url: `${parts.join('/')}${query === '' ? '' : `?${query}`}` };
    }
    case 'query': {
      const keys = [...Object.keys(operationOf(id).query?.shape ?? {}), 'nosuch', '__proto__'];
      const key = keys[change.at % keys.length];
      return { ...sent, url: `${path}?${query}${query === '' ? '' : '&'}${key}=${asUrl(change.with)}` };
    }
    case 'body':
      return { ...sent, headers: typed(id, sent), payload: replaced(sent.payload, change.at, change.with) };
    case 'raw':
      return { ...sent, headers: typed(id, sent), payload: change.with };
    case 'bytes':
      return { ...sent, headers: typed(id, sent), payload: Buffer.from(change.with) };
    case 'header':
      return { ...sent, headers: { ...sent.headers, [change.name]: change.with } };
  }
}

/** Written as a URL has it, broken ones as they are. */
function asUrl(text: string): string {
  if (text.startsWith('%')) return text;
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

function typed(id: OperationId, { headers }: Sent): Record<string, string> {
  const { bodyTypes = ['application/json'] } = operationOf(id);
  return { ...headers, 'content-type': headers['content-type'] ?? bodyTypes[0] };
}

/** One value somewhere in a body replaced by another. */
function replaced(payload: Sent['payload'], at: number, value: unknown): string {
  let body: unknown;
  try {
    body = JSON.parse(String(payload ?? '{}'));
  } catch {
    return `${String(payload).slice(0, at)}${JSON.stringify(value)}${String(payload).slice(at)}`;
  }
  const places: (() => void)[] = [];
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push(() => Object.assign(node, { [key]: value }));
      walk((node as Record<string, unknown>)[key]);
    }
    if (!Array.isArray(node)) places.push(() => Object.assign(node, { nosuch: value }));
  };
  walk(body);
  places[at % Math.max(1, places.length)]?.();
  return JSON.stringify(body) ?? 'null';
}
