import { describe, expect, it } from 'vitest';
import { againCommand, quoted, requestOf, wholeRequest } from './again.ts';

const none: ReadonlySet<string> = new Set();

describe('running again', () => {
  it('is a recovery or a rerun of a part', () => {
    expect(wholeRequest({ mode: 'recover', task: null })).toEqual({ operation: 'recover' });
    expect(wholeRequest({ mode: 'all', task: 'a' })).toEqual({
      operation: 'rerun',
      scope: { kind: 'all', tasks: [] },
    });
    expect(wholeRequest({ mode: 'from', task: 'a' })).toEqual({
      operation: 'rerun',
      scope: { kind: 'from', tasks: ['a'] },
    });
    expect(wholeRequest({ mode: 'only', task: null })).toBeUndefined();
  });

  it('names the tasks that are left when some are taken off', () => {
    const choice = { mode: 'from', task: 'a', without: new Set(['c']) } as const;
    expect(requestOf(choice, ['a', 'b', 'c'])).toEqual({
      operation: 'rerun',
      scope: { kind: 'only', tasks: ['a', 'b'] },
    });
    expect(requestOf({ ...choice, without: none }, ['a', 'b', 'c'])).toEqual(wholeRequest(choice));
    expect(requestOf(choice, ['c'])).toBeUndefined();
  });

  it('has its command line, safe to paste whatever a task is called', () => {
    expect(againCommand(7, { operation: 'recover' })).toBe('orrery runs recover 7');
    expect(againCommand(7, { operation: 'rerun', scope: { kind: 'all', tasks: [] } })).toBe(
      'orrery runs rerun 7',
    );
    expect(againCommand(7, { operation: 'rerun', scope: { kind: 'only', tasks: ['a', "b'; rm"] } })).toBe(
      `orrery runs rerun 7 --only a --only 'b'\\''; rm'`,
    );
    expect(quoted('load_orders-1.2')).toBe('load_orders-1.2');
  });
});
