import { expect, it } from 'vitest';
import { quietUntil } from './quiet.ts';

const at = (text: string) => Date.parse(text);
const shown = (end: number | undefined) => (end === undefined ? undefined : new Date(end).toISOString());

it.each([
  // Across midnight, in the evening, in the morning, and by day.
  ['22:00', '07:00', 'UTC', '2026-03-01T23:00:00Z', '2026-03-02T07:00:00.000Z'],
  ['22:00', '07:00', 'UTC', '2026-03-01T06:59:59Z', '2026-03-01T07:00:00.000Z'],
  ['22:00', '07:00', 'UTC', '2026-03-01T07:00:00Z', undefined],
  ['12:00', '13:00', 'Asia/Shanghai', '2026-03-01T04:30:00Z', '2026-03-01T05:00:00.000Z'],
  // Clocks go forward at 2:00: the night is an hour shorter. They go back: it is an hour longer.
  ['22:00', '07:00', 'Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-29T05:00:00.000Z'],
  ['22:00', '07:00', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T06:00:00.000Z'],
  // They end at 2:30, an hour that is left out: at the end of the gap.
  ['22:00', '02:30', 'Europe/Berlin', '2026-03-29T00:59:00Z', '2026-03-29T01:30:00.000Z'],
])('quiet hours %s to %s in %s at %s end at %s', (from, to, timezone, now, end) => {
  expect(shown(quietUntil({ from, to, timezone }, at(now)))).toBe(end);
});

it('of a weekday begin on that day and last into the next', () => {
  const quiet = { from: '22:00', to: '07:00', timezone: 'UTC', days: [0] };
  // 2026-03-01 is a Sunday.
  expect(quietUntil(quiet, at('2026-03-02T03:00:00Z'))).toBe(at('2026-03-02T07:00:00Z'));
  expect(quietUntil(quiet, at('2026-03-02T23:00:00Z'))).toBeUndefined();
});
