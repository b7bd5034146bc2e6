import { workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';
import type { RunMode } from '../model/index.ts';
import { admissionOf } from './run-admission.ts';
import { admitRun, type OpenRun } from './serial.ts';

const open = (seq: number, admitted = true): OpenRun => ({ id: seq * 10, seq, admitted });

describe('a new run', () => {
  it('starts at once when nothing of its workflow is open, whatever the mode', () => {
    for (const mode of ['parallel', 'serial-wait', 'serial-discard', 'serial-priority'] satisfies RunMode[]) {
      expect(admitRun(mode, undefined, 1, [])).toEqual({ verdict: 'start' });
    }
  });

  it('in parallel mode starts beside any number of others, or up to the limit', () => {
    expect(admitRun('parallel', undefined, 9, [open(1), open(2)])).toEqual({ verdict: 'start' });
    expect(admitRun('parallel', 3, 9, [open(1), open(2)])).toEqual({ verdict: 'start' });
    expect(admitRun('parallel', 2, 9, [open(1), open(2)])).toEqual({
      verdict: 'wait',
      behind: 20,
      reason: '2 runs at a time: behind run 20',
    });
  });

  it('never overtakes an earlier run that waits', () => {
    expect(admitRun('parallel', 2, 9, [open(1), open(5, false)])).toMatchObject({
      verdict: 'wait',
      behind: 50,
    });
    expect(admitRun('serial-wait', undefined, 9, [open(5, false)])).toMatchObject({
      verdict: 'wait',
      behind: 50,
    });
  });

  it('does not wait for a later one that waits', () => {
    expect(admitRun('serial-wait', undefined, 3, [open(5, false)])).toEqual({ verdict: 'start' });
  });

  it('in serial-discard mode is dropped while another is open', () => {
    expect(admitRun('serial-discard', undefined, 2, [open(1)])).toEqual({
      verdict: 'discard',
      reason: 'run 10 is still open',
    });
  });

  it('in serial-priority mode pushes out all earlier ones, running or waiting', () => {
    expect(admitRun('serial-priority', undefined, 3, [open(2, false), open(1)])).toEqual({
      verdict: 'replace',
      stop: [10, 20],
      reason: 'it replaces run 10, 20',
    });
  });
});

describe('three runs started at once', () => {
  /** Starts three runs, then lets each admitted one end in turn; how each ended, in order. */
  function play(mode: RunMode): { started: number[]; ended: Record<number, string> } {
    let runs: OpenRun[] = [];
    const started: number[] = [];
    const ended: Record<number, string> = {};
    const settle = () => {
      for (const run of [...runs].sort((a, b) => a.seq - b.seq)) {
        if (run.admitted) continue;
        const others = runs.filter((other) => other.id !== run.id);
        const admission = admitRun(mode, undefined, run.seq, others);
        if (admission.verdict === 'start') {
          runs = [...others, { ...run, admitted: true }];
          started.push(run.seq);
        } else if (admission.verdict === 'discard') {
          runs = others;
          ended[run.seq] = 'stopped';
        } else if (admission.verdict === 'replace') {
          for (const id of admission.stop) ended[id / 10] = 'stopped';
          runs = others.filter((other) => !admission.stop.includes(other.id)).concat(run);
          settle();
        }
      }
    };
    for (const seq of [1, 2, 3]) {
      runs.push(open(seq, false));
      settle();
    }
    for (
      let running = runs.find((run) => run.admitted);
      running;
      running = runs.find((run) => run.admitted)
    ) {
      ended[running.seq] = 'success';
      runs = runs.filter((run) => run !== running);
      settle();
    }
    return { started, ended };
  }

  it('run one after the other in serial-wait mode', () => {
    expect(play('serial-wait')).toEqual({
      started: [1, 2, 3],
      ended: { 1: 'success', 2: 'success', 3: 'success' },
    });
  });

  it('end as success, stopped, stopped in serial-discard mode', () => {
    expect(play('serial-discard')).toEqual({
      started: [1],
      ended: { 1: 'success', 2: 'stopped', 3: 'stopped' },
    });
  });

  it('end as stopped, stopped, success in serial-priority mode', () => {
    expect(play('serial-priority')).toMatchObject({ ended: { 1: 'stopped', 2: 'stopped', 3: 'success' } });
  });
});

describe('the admission of a run', () => {
  it('is free for a parallel workflow, and one slot or the limit for others', () => {
    expect(admissionOf(workflow([]), false)).toBeUndefined();
    expect(admissionOf(workflow([], { limit: 3 }), false)).toEqual({
      mode: 'parallel',
      needs: [{ name: 'workflow default/sample', slots: 3 }],
    });
    expect(admissionOf(workflow([], { mode: 'serial-wait' }), true)).toEqual({
      mode: 'serial-wait',
      needs: [{ name: 'workflow default/sample', slots: 1 }],
    });
  });
});
