import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergedByTime, type ShardLines } from './log-merge.ts';

const at = (second: number, words: string) =>
  `2026-03-02T08:00:${String(second).padStart(2, '0')}.000Z ${words}`;
const log = (shard: number, ...lines: string[]): ShardLines => ({ shard, firstLine: 1, lines });
const shown = (logs: readonly ShardLines[]) =>
  mergedByTime(logs)?.map(({ shard, number }) => `${shard}:${number}`);

describe('the logs of several shards', () => {
  it('are one by the times of their lines, of equal ones by shard', () => {
    const logs = [log(0, at(1, 'a'), at(3, 'b'), at(5, 'c')), log(1, at(2, 'd'), at(3, 'e'))];
    expect(shown(logs)).toEqual(['0:1', '1:1', '0:2', '1:2', '0:3']);
    expect(mergedByTime(logs)?.[1]).toEqual({ shard: 1, number: 1, line: at(2, 'd') });
  });

  it('keep what belongs to a line below it', () => {
    const trace = log(0, at(1, 'Traceback'), '  in load', at(4, 'gone'));
    expect(shown([trace, log(1, '  in read', at(2, 'a'), at(3, 'b'))])).toEqual([
      ...['0:1', '0:2'],
      ...['1:1', '1:2', '1:3'],
      '0:3',
    ]);
  });

  it('have the numbers of their lines also where only the end is known', () => {
    const logs = [{ shard: 0, firstLine: 91, lines: [at(1, 'a'), at(2, 'b')] }];
    expect(shown(logs)).toEqual(['0:91', '0:92']);
  });

  it('are told by what the task says, not by the clock of the worker', () => {
    const late = '[orrery] 2026-03-02T16:00:00.000Z run 7, task a, shard 0';
    expect(shown([log(0, late, at(1, 'a')), log(1, at(2, 'b'))])).toEqual(['0:1', '0:2', '1:1']);
    const silent = log(1, '[orrery] 2026-03-02T08:00:02.000Z run 7, task a, shard 1');
    expect(shown([log(0, at(1, 'a'), at(3, 'b')), silent])).toEqual(['0:1', '1:1', '0:2']);
  });

  it('are not made one where most lines carry no time', () => {
    expect(mergedByTime([log(0, 'part 0'), log(1, 'part 1')])).toBeUndefined();
    expect(mergedByTime([log(0, at(1, 'a'), 'b', 'c')])).toBeUndefined();
    expect(mergedByTime([log(0, '[orrery] 2026-03-02T08:00:02.000Z success')])).toBeUndefined();
    expect(mergedByTime([])).toBeUndefined();
  });

  it('never change the order within a shard', () => {
    const lines = fc.array(fc.oneof(fc.integer({ min: 0, max: 59 }), fc.constant('more')), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 4 }), (drawn) => {
        const logs = drawn.map((some, shard) =>
          log(shard, ...some.map((one) => (typeof one === 'number' ? at(one, 'a') : one))),
        );
        const merged = mergedByTime(logs);
        if (!merged) return;
        for (const { shard, lines: own } of logs)
          expect(merged.filter((one) => one.shard === shard).map(({ line }) => line)).toEqual(own);
      }),
    );
  });
});
