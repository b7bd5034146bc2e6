import { casesOf, notUnderstood, type RecordedCase, wordsOf } from '@orrery/testkit/cases/recorded';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IllegalTransition, InvalidInput } from '../errors.ts';
import type { TriggerRule } from '../model/glossary.ts';
import { buildDag, predecessors, selectTasks } from './graph.ts';
import { Progress } from './progress.ts';
import type { Ending } from './trigger-rule.ts';

type Edge = [from: number, to: number];

const RULES: TriggerRule[] = ['all-succeeded', 'all-done', 'one-failed', 'one-succeeded', 'none-failed'];
const ENDINGS: Ending[] = ['succeeded', 'failed', 'skipped'];

const byNumber = (a: number, b: number) => a - b;

describe('DolphinScheduler ready cases', () => {
  interface Condition {
    node: number;
    result?: string;
    successNode?: number[];
    failedNode?: number[];
  }
  interface Case {
    input: {
      edges: Edge[];
      completed: number[];
      forbidden?: number[];
      condition?: Condition;
      nodes?: number;
      ask?: string;
    };
    expect: object | boolean;
  }
  const words = ['nodes', 'edges', 'completed', 'forbidden', 'condition', 'ask'];
  const read = ({ input, expect }: RecordedCase) => ({
    input: wordsOf<Case['input']>(input, words),
    expect: expect as Case['expect'],
  });
  const asks = ({ expect }: RecordedCase) => typeof expect === 'boolean';
  /**
   * There, a disabled task lets its successors start although one of its own predecessors is still open, but only on
   * some paths. Here it always waits: whether a case asks for such a task follows from its graph.
   */
  function waitsBehindDisabled({ edges, completed, forbidden = [] }: Case['input'], node: number): boolean {
    const before = edges.filter(([, to]) => to === node).map(([from]) => from);
    return before
      .filter((one) => forbidden.includes(one))
      .some((one) =>
        edges.some(([from, to]) => to === one && !completed.includes(from) && !forbidden.includes(from)),
      );
  }

  /** Completes the tasks as listed, and says what is then ready and what was skipped. */
  function play({ edges, completed, forbidden = [], condition, nodes }: Case['input']) {
    const size = nodes ?? Math.max(0, ...edges.flat());
    const passThrough = new Uint8Array(size);
    for (const node of forbidden) passThrough[node - 1] = 1;
    const branch = condition && branchOf(condition);
    const progress = new Progress(
      buildDag(
        size,
        edges.map(([from, to]) => [from - 1, to - 1]),
      ),
      { passThrough },
    );
    const ready = new Set<number>();
    const skipped = new Set<number>();
    const note = (step: { ready: number[]; skipped: number[] }) => {
      for (const task of step.ready) ready.add(task + 1);
      for (const task of step.skipped) skipped.add(task + 1);
    };
    note(progress.start());
    for (const node of completed.filter((one) => !forbidden.includes(one))) {
      const chosen = condition?.node === node ? branch : undefined;
      note(progress.finish(node - 1, (to) => (!chosen || chosen.includes(to + 1) ? 'succeeded' : 'skipped')));
      ready.delete(node);
    }
    // A number that no edge names is no task, unless the case counts them.
    const exists = (node: number) => nodes !== undefined || edges.flat().includes(node);
    const named = (found: Set<number>) => [...found].filter(exists).sort(byNumber);
    return { ready: named(ready), skipped: named(skipped) };
  }

  function branchOf(condition: Condition): number[] {
    const words = ['node', 'result', 'successNode', 'failedNode'];
    const { result = 'success', successNode = [], failedNode = [] } = wordsOf<Condition>(condition, words);
    if (result === 'success') return successNode;
    if (/^fail(ed|ure)?$/.test(result)) return failedNode;
    throw notUnderstood(result);
  }

  it.each(casesOf('dag-ready').filter((one) => !asks(one)))('$id', (recorded) => {
    const { input, expect: expected } = read(recorded);
    const wanted = wordsOf<{ ready?: number[]; skipped?: number[] }>(expected, ['ready', 'skipped']);
    const { ready, skipped } = play(input);
    if (wanted.ready) expect(ready).toEqual(wanted.ready);
    if (wanted.skipped) expect(skipped).toEqual(wanted.skipped);
  });

  it.each(casesOf('dag-ready').filter(asks))('$id: $input.ask', (recorded) => {
    const one = read(recorded);
    const [, said] = /^can node (\d+) start$/.exec(one.input.ask ?? '') ?? [];
    if (said === undefined) throw notUnderstood(one.input.ask);
    const node = Number(said);
    const expected = one.expect && !waitsBehindDisabled(one.input, node);
    expect(play(one.input).ready.includes(node)).toBe(expected);
  });

  it('runs a join that one branch of a switch leads to, although another edge of the switch was not chosen', () => {
    // A switch (0) leads to 1 and to 2, and 2 leads to 1 too.
    const dag = buildDag(4, [
      [0, 1],
      [0, 2],
      [2, 1],
      [1, 3],
    ]);
    const progress = new Progress(dag);
    expect(progress.start().ready).toEqual([0]);
    expect(progress.finish(0, (to) => (to === 2 ? 'succeeded' : 'skipped')).ready).toEqual([2]);
    expect(progress.finish(2, 'succeeded').ready).toEqual([1]);
    expect(progress.finish(1, 'succeeded').ready).toEqual([3]);
    expect(progress.finish(3, 'succeeded')).toEqual({ ready: [], skipped: [] });
    expect(progress.remaining).toBe(0);
  });
});

describe('Progress', () => {
  it('lets a failure be felt beyond the tasks it skips', () => {
    // 0 -> 1 -> 2 with 3 -> 2 and an alarm, 4, after 2.
    const dag = buildDag(5, [
      [0, 1],
      [1, 2],
      [3, 2],
      [2, 4],
    ]);
    const rules: TriggerRule[] = [
      'all-succeeded',
      'all-succeeded',
      'all-succeeded',
      'all-succeeded',
      'one-failed',
    ];
    const progress = new Progress(dag, { rules });
    expect(progress.start().ready).toEqual([0, 3]);
    expect(progress.finish(3, 'succeeded')).toEqual({ ready: [], skipped: [] });
    expect(progress.finish(0, 'failed')).toEqual({ ready: [4], skipped: [1, 2] });
  });

  it('skips what only follows a branch that was not chosen, and runs the join', () => {
    // 0 chooses 1, not 2 -> 3; both lead to 4.
    const dag = buildDag(5, [
      [0, 1],
      [0, 2],
      [2, 3],
      [1, 4],
      [3, 4],
    ]);
    const progress = new Progress(dag);
    progress.start();
    expect(progress.finish(0, (to) => (to === 1 ? 'succeeded' : 'skipped'))).toEqual({
      ready: [1],
      skipped: [2, 3],
    });
    expect(progress.finish(1, 'succeeded').ready).toEqual([4]);
  });

  it('keeps the order of picked tasks that follow each other through tasks out of scope', () => {
    const dag = buildDag(4, [
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    const inScope = selectTasks(dag, 'only', [0, 2]);
    const progress = new Progress(dag, { passThrough: inScope.map((covered) => 1 - covered) });
    expect(progress.start()).toEqual({ ready: [0], skipped: [] });
    expect(progress.finish(0, 'succeeded').ready).toEqual([2]);
    expect(progress.finish(2, 'succeeded').ready).toEqual([]);
    expect(progress.remaining).toBe(0);
  });

  it('starts at once what follows only tasks out of scope', () => {
    const dag = buildDag(3, [
      [0, 1],
      [1, 2],
    ]);
    expect(new Progress(dag, { passThrough: Uint8Array.of(1, 1, 0) }).start().ready).toEqual([2]);
  });

  it('refuses to finish a task that is not ready, saying what it is', () => {
    const dag = buildDag(4, [
      [0, 1],
      [1, 2],
    ]);
    const progress = new Progress(dag, { passThrough: Uint8Array.of(0, 0, 0, 1) });
    expect(() => progress.finish(0, 'succeeded')).toThrow(IllegalTransition);
    progress.start();
    expect(() => progress.start()).toThrow(IllegalTransition);
    expect(() => progress.finish(1, 'succeeded')).toThrow('event "finish" is not allowed in state "waiting"');
    progress.finish(0, 'failed');
    expect(() => progress.finish(0, 'failed')).toThrow('state "ended"');
    expect(() => progress.finish(1, 'succeeded')).toThrow('state "skipped"');
    expect(() => progress.finish(3, 'succeeded')).toThrow('state "passed"');
    expect(() => progress.finish(9, 'succeeded')).toThrow('state "unknown"');
  });

  it('refuses rules or a mask of another size', () => {
    expect(() => new Progress(buildDag(2, []), { rules: ['all-done'] })).toThrow(InvalidInput);
    expect(() => new Progress(buildDag(2, []), { passThrough: new Uint8Array(3) })).toThrow(InvalidInput);
  });

  it('spreads a skip through a chain of 100,000 tasks without exhausting the stack', () => {
    const size = 100_000;
    const edges = new Int32Array(2 * size - 2);
    for (let i = 1; i < size; i++) edges.set([i - 1, i], 2 * i - 2);
    const progress = new Progress(buildDag(size, edges));
    progress.start();
    expect(progress.finish(0, 'failed').skipped.length).toBe(size - 1);
    expect(progress.remaining).toBe(0);
  });

  it('agrees at every step with the rules applied from scratch, and ends every task exactly once', () => {
    fc.assert(
      fc.property(anyRun, ({ size, edges, rules, through, picks }) => {
        const dag = buildDag(size, edges);
        const progress = new Progress(dag, { rules, passThrough: Uint8Array.from(through) });
        const told = new Map<string, Ending>();
        const ready = new Set<number>();
        const skipped = new Set<number>();
        const finished = new Set<number>();
        const check = (step: { ready: number[]; skipped: number[] }) => {
          for (const task of [...step.ready, ...step.skipped]) {
            expect(ready.has(task) || skipped.has(task)).toBe(false);
          }
          for (const task of step.ready) ready.add(task);
          for (const task of step.skipped) skipped.add(task);
          const states = fromScratch(size, (task) => [...predecessors(dag, task)], rules, through, told);
          const all = Array.from({ length: size }, (_, task) => task);
          expect([...ready].sort(byNumber)).toEqual(all.filter((task) => states[task] === 'ready'));
          expect([...skipped].sort(byNumber)).toEqual(all.filter((task) => states[task] === 'skipped'));
          const passed = states.filter((state) => state === 'passed').length;
          expect(progress.remaining).toBe(size - finished.size - skipped.size - passed);
        };
        check(progress.start());
        for (let turn = 0; finished.size < ready.size; turn++) {
          const pick = picks[turn % picks.length];
          const open = [...ready].filter((task) => !finished.has(task));
          const task = open[pick % open.length];
          const endingOf = (to: number) => ENDINGS[((pick >> 4) >> (pick & 8 ? to % 7 : 0)) % 3];
          for (const [from, to] of edges) if (from === task) told.set(`${from}>${to}`, endingOf(to));
          finished.add(task);
          check(progress.finish(task, pick & 8 ? endingOf : endingOf(0)));
        }
        expect(progress.remaining).toBe(0);
      }),
      { numRuns: 500 },
    );
  });
});

const anyRun = fc.integer({ min: 1, max: 10 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    edges: fc
      .array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 25 })
      .map((pairs) =>
        pairs.filter(([a, b]) => a !== b).map(([a, b]): Edge => [Math.min(a, b), Math.max(a, b)]),
      ),
    rules: fc.array(fc.constantFrom(...RULES), { minLength: size, maxLength: size }),
    through: fc.array(
      fc.nat(9).map((n) => (n === 0 ? 1 : 0)),
      { minLength: size, maxLength: size },
    ),
    picks: fc.array(fc.nat(1 << 16), { minLength: 1, maxLength: 10 }),
  }),
);

/** Each task's state from nothing but what finished tasks told their successors; edges lead upwards. */
function fromScratch(
  size: number,
  before: (task: number) => number[],
  rules: TriggerRule[],
  through: number[],
  told: Map<string, Ending>,
): string[] {
  const states: string[] = [];
  const passes: (Ending | undefined)[] = [];
  for (let task = 0; task < size; task++) {
    const seen = before(task).map((from) => passes[from] ?? told.get(`${from}>${task}`));
    const known = seen.filter((ending) => ending !== undefined);
    const all = known.length === seen.length;
    const some = (ending: Ending) => known.includes(ending);
    const none = seen.length === 0;
    if (through[task] === 1) {
      states[task] = all ? 'passed' : 'waiting';
      if (all) passes[task] = some('failed') ? 'failed' : some('succeeded') || none ? 'succeeded' : 'skipped';
      continue;
    }
    const [runs, never] = {
      'all-succeeded': [
        all && !some('failed') && (some('succeeded') || none),
        some('failed') || (all && !some('succeeded')),
      ],
      'all-done': [all, false],
      'one-failed': [some('failed'), all],
      'one-succeeded': [some('succeeded') || none, all],
      'none-failed': [all && !some('failed'), some('failed')],
    }[rules[task]];
    states[task] = runs ? 'ready' : never ? 'skipped' : 'waiting';
    if (states[task] === 'skipped') passes[task] = some('failed') ? 'failed' : 'skipped';
  }
  return states;
}
