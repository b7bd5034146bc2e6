/** A delivery for tests of channels. */
import type { LeasedDelivery } from '@orrery/store';

export const NOW = Date.parse('2026-03-01T12:00:00Z');

export function delivery(
  kind: string,
  settings: Record<string, unknown>,
  over: Partial<LeasedDelivery> = {},
): LeasedDelivery {
  return {
    id: 5,
    origin: 'c0ffee',
    project: 'sales',
    channel: 'c',
    to: { project: 'sales', name: 'c', kind, settings, disabled: null, changedAt: 0 },
    message: {
      group: 3,
      rule: 'failures',
      reason: 'new',
      since: NOW - 1_000,
      count: 2,
      subjects: [
        {
          kind: 'run-failed',
          project: 'sales',
          name: 'orders',
          run: 7,
          text: 'connection refused <db>',
          at: NOW,
        },
      ],
    },
    tries: 1,
    doubled: false,
    ...over,
  };
}

/** A delivery whose workflow name and error line come from an attacker. */
export function hostile(kind: string, settings: Record<string, unknown>, text: string): LeasedDelivery {
  const one = delivery(kind, settings);
  const subjects = one.message.subjects.map((subject) => ({ ...subject, name: `orders${text}`, text }));
  return { ...one, message: { ...one.message, subjects } };
}
