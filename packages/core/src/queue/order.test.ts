import { describe, expect, it } from 'vitest';
import { type Priority, priorities } from '../model/glossary.ts';
import { compareCommands, priorityName, priorityNumber } from './order.ts';

describe('priorities', () => {
  it('are the numbers 0 to 4, highest first', () => {
    expect(priorities.map(priorityNumber)).toEqual([0, 1, 2, 3, 4]);
    expect([0, 4].map(priorityName)).toEqual(['highest', 'lowest']);
  });

  it('refuse what is none', () => {
    expect(() => priorityNumber('urgent' as Priority)).toThrow(
      'unknown priority "urgent"; use highest, high',
    );
    for (const number of [-1, 5, 1.5]) expect(() => priorityName(number)).toThrow('use 0 to 4');
  });
});

describe('commands', () => {
  it('go by priority, then first come, first served', () => {
    const commands = [
      { priority: 2, seq: 10 },
      { priority: 2, seq: 9 },
      { priority: 3, seq: 1 },
      { priority: 0, seq: 11 },
    ];
    expect(commands.sort(compareCommands).map(({ seq }) => seq)).toEqual([11, 9, 10, 1]);
  });
});
