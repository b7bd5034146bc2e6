import type { LogFields } from '@orrery/core/log';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestApi, testApi } from './testing.ts';

const lines: [level: string, text: string, fields?: LogFields][] = [];
let api: TestApi;
beforeEach(async () => {
  lines.length = 0;
  api = await testApi({ log: (...line) => void lines.push(line) });
});
afterEach(async () => {
  await api.app.close();
  await api.store.close();
});

it('has a line for each request, with the id that its answer names', async () => {
  const { headers } = await api.app.inject({
    url: '/api/v1/runs/77?token=hush',
    headers: { host: 'localhost' },
  });
  expect(lines).toEqual([
    [
      'debug',
      expect.stringMatching(/^GET \/api\/v1\/runs\/:\w+ 400 in \d+ ms$/),
      { request: headers['x-request-id'], status: 400, duration: expect.any(Number) },
    ],
  ]);
});

it('does not tell the path of one that fits no route', async () => {
  await api.app.inject({ url: '/secret-path', headers: { host: 'localhost' } });
  expect(JSON.stringify(lines)).not.toContain('secret-path');
});
