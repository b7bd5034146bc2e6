import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Migration } from '../migrate.ts';
import { first } from './001-first.ts';
import { tags } from './002-tags.ts';
import { life } from './003-life.ts';

const hash = ({ number, name, statements }: Migration) =>
  createHash('sha256')
    .update(JSON.stringify([number, name, statements]))
    .digest('hex');

// A database has applied them as they were: a change belongs into a migration of its own.
it('migrations that were released never change', () => {
  expect([first, tags, life].map(hash)).toEqual([
    '3ca564e1d902aaaebe1061bca0d1f1349f14ac425c0b8ced06d60b0718247ee5',
    '7c639908e5c7970ffd1ba1ff753e8c18e0c8870d2519b1c0f131e7ffb129a28b',
    '1f2d8f2f8e64c248e8068e5cd1592d0f2ab54b94ee3c88519648002867f43c0c',
  ]);
});
