import { describe, expect, it } from 'vitest';
import type { WhyReason } from './reasons.ts';
import { sentence } from './sentence.ts';

const place = { group: 'gpu', attempt: 2, ahead: 7, higher: 0 };
const runs = [{ id: '7', state: 'running' }];

describe('a reason in words', () => {
  it.each<[WhyReason, string, string | null]>([
    [
      { code: 'start-masters-full', ahead: 3, masters: 1 },
      'its start command waits to be claimed, 3 before it; 1 live master without room or overloaded',
      'runs end, or another master starts',
    ],
    [
      { code: 'start-overloaded', ahead: 0, reasons: ['m1 is overloaded: memory use 97 % is above 95 %'] },
      'its start command waits to be claimed, 0 before it; m1 is overloaded: memory use 97 % is above 95 %',
      'the load falls, or another master starts',
    ],
    [{ code: 'unowned-no-master' }, 'has no owner, and no master is alive', 'start a master'],
    [
      { code: 'serial', workflow: 'etl/a', limit: 2, mode: 'parallel', runs },
      'runs of etl/a go at most 2 at once, and run 7 (running) came first',
      'one of them ends',
    ],
    [
      { code: 'limit-full', limit: 'all runs', slots: 2, held: 2, ahead: 1, holders: ['7', '8'] },
      'waits for a slot of all runs: 2 of 2 taken by 7 and 8, 1 before it',
      'one that has such a slot ends',
    ],
    [
      {
        ...{ code: 'limit-full', limit: 'task group etl/a', slots: 1, held: 1, ahead: 2, holders: ['7.a'] },
        first: { id: '7.a', usual: 124_700 },
      },
      'waits for a slot of task group etl/a: 1 of 1 taken by 7.a, 2 before it',
      '7.a ends, which usually takes 2m 4s',
    ],
    [
      { code: 'no-worker', ...place, higher: 4 },
      'attempt 2 is in the queue of worker group gpu, 7 before it, 4 of them of higher priority, and no live worker serves that group',
      'start a worker for the group gpu',
    ],
    [
      { code: 'slots-taken', ...place, slots: 8, workers: 2, holders: ['7.a'] },
      'attempt 2 is in the queue of worker group gpu, 7 before it; all 8 slots of 2 live workers are taken by 7.a',
      'an attempt before it ends',
    ],
    [
      { code: 'no-room', ...place, asks: '4 cores and 2 GB', workers: 2, never: false },
      'attempt 2 is in the queue of worker group gpu, 7 before it, and asks for 4 cores and 2 GB, more than is left on any of 2 live workers',
      'attempts that asked for cores or memory end',
    ],
    [
      { code: 'no-room', ...place, asks: '64 cores', workers: 1, never: true },
      'attempt 2 is in the queue of worker group gpu, 7 before it, and asks for 64 cores, more than any of 1 live worker has',
      'a larger worker joins the group, or the task asks for less',
    ],
    [
      { code: 'delayed', until: null },
      'waits until a time not yet known because of its delay',
      'that time comes, or start-now',
    ],
    [
      { code: 'reported', stopping: true },
      'is being stopped; its worker has reported, and the run goes on',
      'the worker reports that nothing of it is left',
    ],
    [{ code: 'run-stopped', reason: 'stopped by lw' }, 'was stopped: stopped by lw', 'recover or rerun it'],
  ])('%j', (reason, why, frees) => {
    expect(sentence(reason)).toMatchObject({ why, frees });
  });

  it('names what is waited for', () => {
    const tasks = [{ id: '3.a', name: 'a', state: 'running' }];
    expect(sentence({ code: 'needs', tasks, rule: 'all-done' }).waitsFor).toEqual(['3.a']);
    const reason = { code: 'needs', tasks, rule: 'all-done' } as const;
    expect(sentence({ code: 'task-waits', task: 'b', taskRun: '3.b', reason })).toEqual({
      why: 'nothing of it is running: b waits for a (running)',
      frees: 'they end, by the rule all-done',
      waitsFor: ['3.b'],
    });
  });

  it.each([
    [0, '0s'],
    [842, '842ms'],
    [12_400, '12s'],
    [3_725_000, '1h 2m'],
    [183_900_000, '2d 3h'],
  ])('says of %i ms that are usual no more than is known', (usual, said) => {
    const full = { code: 'limit-full', limit: 'a', slots: 1, held: 1, ahead: 0, holders: [] } as const;
    expect(sentence({ ...full, first: { id: '7.a', usual } }).frees).toBe(
      `7.a ends, which usually takes ${said}`,
    );
  });

  it('cuts long lists with a count of the rest', () => {
    const tasks = Array.from({ length: 9 }, (_, k) => ({ id: `1.t${k}`, name: `t${k}`, state: 'pending' }));
    expect(sentence({ code: 'needs', tasks, rule: 'all-done' }).why).toBe(
      'waits for t0 (pending), t1 (pending), t2 (pending), t3 (pending) and 5 more',
    );
  });
});
