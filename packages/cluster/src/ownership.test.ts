import type { BeatAnswer } from '@orrery/store';
import { expect, it } from 'vitest';
import { type OwnershipChange, RendezvousOwnership } from './ownership.ts';

const peer = (id: string, state = 'acting', roles = 'master') =>
  ({ id, state, roles, epoch: 1, beat: 1, address: '' }) as unknown as BeatAnswer['peers'][number];

it('tells of a change only when acting masters came or went', () => {
  const ownership = new RendezvousOwnership({ self: { node: 'a', epoch: 1 } });
  const changes: OwnershipChange[] = [];
  ownership.listen((change) => changes.push(change));
  ownership.beat({ peers: [] });
  expect(changes).toEqual([]);
  ownership.beat({ peers: [peer('b'), peer('c', 'draining'), peer('d', 'acting', 'api')] });
  ownership.beat({ peers: [peer('b')] });
  expect(changes).toHaveLength(1);
  expect(changes[0].order).toBe(ownership.order);
  expect(ownership.order.isAlone).toBe(false);
  const leaders = new Set(Array.from({ length: 100 }, (_, id) => ownership.order.leaderOf(id)));
  expect([...leaders].sort()).toEqual(['a', 'b']);
});
