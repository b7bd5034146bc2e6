import { casesOf, wordsOf } from '@orrery/testkit/cases/recorded';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../fixtures/seed-vectors.json' with { type: 'json' };
import { type Priority, priorities } from '../model/glossary.ts';
import {
  compareCommands,
  compareGroupWaiters,
  compareQueueKeys,
  formatQueueKey,
  parseQueueKey,
  priorityName,
  priorityNumber,
} from './order.ts';

function sorted(entries: readonly string[]): string[] {
  return entries.map(parseQueueKey).sort(compareQueueKeys).map(formatQueueKey);
}

describe('the ready queue', () => {
  it('orders by run priority, run, task priority, task run, as numbers', () => {
    expect(sorted(vectors.priority.input)).toEqual(vectors.priority.order);
  });

  it('puts the run before the priority of a task', () => {
    expect(sorted(['2_10_2_9', '2_9_2_10', '0_99_4_1', '2_9_0_11', '2_10_0_3'])).toEqual([
      '0_99_4_1',
      '2_9_0_11',
      '2_9_2_10',
      '2_10_0_3',
      '2_10_2_9',
    ]);
  });

  it('reads back the word of every place', () => {
    const level = fc.integer({ min: 0, max: 4 });
    const seq = fc.maxSafeNat();
    fc.assert(
      fc.property(level, seq, level, seq, (runPriority, runSeq, taskPriority, taskRunSeq) => {
        const key = { runPriority, runSeq, taskPriority, taskRunSeq };
        expect(parseQueueKey(formatQueueKey(key))).toEqual(key);
      }),
    );
  });

  it.each(['', '2_10_2', '5_1_0_1', '2_10_2_9_1', '2_x_2_9', '-1_1_1_1'])('refuses the word "%s"', (text) => {
    expect(() => parseQueueKey(text)).toThrow(`"${text}" is no place in a queue`);
  });
});

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

/** The fields a case leaves out are equal for all its tasks. */
interface UpstreamTask {
  readonly id?: number;
  readonly name?: string;
  readonly taskGroupPriority?: number;
  readonly group?: number;
  readonly priority?: string;
  readonly taskPriority?: string;
  readonly submit?: number;
}

const words = ['id', 'name', 'taskGroupPriority', 'group', 'priority', 'taskPriority', 'submit'] as const;

function served(input: unknown): (number | string | undefined)[] {
  return wordsOf<{ tasks: unknown[] }>(input, ['tasks'])
    .tasks.map((task) => wordsOf<UpstreamTask>(task, words))
    .map(({ id, name, taskGroupPriority, group, priority, taskPriority, submit = 0 }) => ({
      label: id ?? name,
      groupPriority: taskGroupPriority ?? group ?? 0,
      taskPriority: priorityNumber((taskPriority ?? priority ?? 'MEDIUM').toLowerCase() as Priority),
      seq: submit,
    }))
    .sort(compareGroupWaiters)
    .map(({ label }) => label);
}

describe('the wait list of a task group', () => {
  // The priority of a workflow is not of this list: its runs are in order before their tasks are.
  const one = casesOf('dispatch-order').filter(
    ({ input }) => !JSON.stringify(input).includes('workflowPriority'),
  );
  it.each(one)('$id: larger group priority first, then submitted first', ({ input, expect: expected }) => {
    expect(served(input)).toEqual(expected);
  });

  it.each(casesOf('standby-order'))(
    '$id: group priority first, then task priority',
    ({ input, expect: expected }) => {
      expect(served(input)[0]).toBe(expected);
    },
  );
});
