import { expect, it } from 'vitest';
import { timeOf } from './log-time.ts';

const at = Date.parse('2026-03-02T08:31:51.931Z');

it.each([
  '2026-03-02T08:31:51.931Z INFO  read',
  '2026-03-02 08:31:51,931 read',
  '[2026-03-02T16:31:51.931+08:00] read',
  '2026-03-02 16:31:51.931 +0800 read',
  'INFO  2026-03-02T08:31:51.931456Z read',
  '\u001b[32mINFO\u001b[0m 2026-03-02T08:31:51.931Z read',
  '{"level":"info","time":"2026-03-02T08:31:51.931Z","msg":"read"}',
  '{"@timestamp": "2026-03-02T08:31:51.931Z"}',
])('is the time of %j', (line) => {
  expect(timeOf(line)).toBe(at);
});

it('is whole seconds where nothing more is said', () => {
  expect(timeOf('2026-03-02T08:31:51Z read')).toBe(at - 931);
});

it.each([
  '',
  'read 4 rows',
  '08:31:51 read',
  'processing the day 2026-03-02 00:00:00',
  '2026-03-02 read',
  '2026-13-02T08:31:51Z',
  '{"day":"2026-03-02T00:00:00Z"}',
])('is none in %j', (line) => {
  expect(timeOf(line)).toBeUndefined();
});
