import { expect, it } from 'vitest';
import { diffLines } from './line-diff.ts';
import { diffRows, mergedTasks } from './version-diff.ts';

const many = Array.from({ length: 20 }, (_, k) => `line ${k}`);

it('pairs what went with what came, numbers both sides and folds the rest', () => {
  const lines = diffLines(many, many.with(10, 'other').toSpliced(11, 0, 'more'));
  const rows = diffRows(lines, new Set());
  expect(rows.map(({ kind }) => kind)).toEqual([
    'fold',
    ...['same', 'same', 'same', 'changed', 'changed', 'same', 'same', 'same'],
    'fold',
  ]);
  expect(rows[0]).toEqual({ kind: 'fold', id: 0, count: 7 });
  expect(rows[4]).toEqual({
    kind: 'changed',
    before: { number: 11, text: 'line 10' },
    after: { number: 11, text: 'other' },
  });
  expect(rows[5]).toMatchObject({ after: { number: 12, text: 'more' } });
  expect(rows[6]).toMatchObject({ before: { number: 12 }, after: { number: 13 } });
  const opened = diffRows(lines, new Set([0]));
  expect(opened.length).toBe(rows.length + 6);
});

it('of equal texts is one fold', () => {
  expect(diffRows(diffLines(many, many), new Set())).toEqual([{ kind: 'fold', id: 0, count: 20 }]);
  expect(diffRows([], new Set())).toEqual([]);
});

it('has the tasks and arrows of both versions in one graph', () => {
  const task = (name: string, ...needs: string[]) => ({ name, type: 'noop', needs });
  const merged = mergedTasks(
    [task('a'), task('b', 'a'), task('c', 'b'), task('d')],
    [task('a'), task('c', 'a'), task('d'), task('e', 'c')],
    {
      added: ['e'],
      removed: ['b'],
      changed: [
        { name: 'c', changes: [{ path: 'needs' }] },
        { name: 'd', changes: [{ path: 'retries.limit' }] },
      ],
    },
  );
  expect(merged.map(({ name, change, needs }) => [name, change, needs])).toEqual([
    ['a', 'same', []],
    ['c', 'moved', ['a', 'b']],
    ['d', 'changed', []],
    ['e', 'added', ['c']],
    ['b', 'removed', ['a']],
  ]);
});
