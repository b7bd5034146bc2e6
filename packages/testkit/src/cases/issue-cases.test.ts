import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testDatabases } from '../databases.ts';
import { casesOf, notUnderstood, type RecordedCase, says, wordsOf } from './recorded.ts';
import { scriptOf } from './script.ts';
import { type Acts, CaseStage } from './stage.ts';
import { modeOf, stateOf } from './words.ts';

const noon = Date.parse('2026-03-02T12:00:00Z');
const DAY = 86_400_000;
const one = (name: string, more: object = {}) => ({ name, tasks: [{ name: 'work', type: 'noop' }], ...more });

/** Words that no run of a workflow in virtual time could answer, and where they are tested. */
const elsewhere: Readonly<Record<string, string>> = {
  childProcessGone: 'processes of a task: worker/src/attempt',
  python: 'what a task prints: parameters',
  rejected: 'who may speak to a worker: the wire',
};

describe.each(testDatabases())('what reporters expected, on $name', (database) => {
  let stage: CaseStage;
  const open = async (...[acts, options]: [Acts?, Parameters<typeof CaseStage.open>[2]?]) => {
    stage = await CaseStage.open(await database.open(), acts, { now: noon, ...options });
  };
  afterEach(() => stage.close());
  afterAll(() => database.close());

  const stateNow = async (id: number) => (await stage.client.showRun({ id })).state;
  const runsOf = async (workflow: string) =>
    (await stage.client.listRuns({ workflow, kind: 'normal', limit: 1_000 })).runs.toReversed();

  /** Readers by a word that only their cases use. */
  const readers: readonly [word: string, read: (one: RecordedCase) => Promise<void>][] = [
    ['backfillDates', backfill],
    ['oneKilled', backfill],
    ['master', zones],
    ['previous', afterPrevious],
    ['switch', switched],
    ['dependent', dependent],
    ['event', masterLost],
    ['subWorkflowResolves', exported],
  ];
  const played = casesOf('issue-derived').filter((one) => !says(one, ...Object.keys(elsewhere)));

  it.each(played)('$id', async (one) => {
    const [, read] = readers.find(([word]) => says(one, word)) ?? [];
    if (!read) throw notUnderstood(one.input);
    await read(one);
  });

  async function backfill(recorded: RecordedCase): Promise<void> {
    interface Input {
      /** How many days, or which. */
      readonly backfillDates?: number | readonly string[];
      readonly mode: string;
      readonly parallelism?: number;
      readonly failsOn?: string;
      readonly oneKilled?: boolean;
    }
    interface Expected {
      readonly maxConcurrent?: number;
      readonly instances?: number;
      readonly success?: number;
      readonly failure?: number;
      readonly othersStillCreated?: boolean;
    }
    const input = wordsOf<Input>(recorded.input, [
      ...['backfillDates', 'mode', 'parallelism', 'failsOn', 'oneKilled'],
    ]);
    const expected = wordsOf<Expected>(recorded.expect, [
      ...['maxConcurrent', 'instances', 'success', 'failure', 'othersStillCreated'],
    ]);
    const { backfillDates: dates = 4, failsOn, parallelism = 2 } = input;
    const [, how] = /^(serial|parallel)(?: backfill)?$/.exec(input.mode) ?? [];
    if (how === undefined) throw notUnderstood(input.mode);
    const times =
      typeof dates === 'number'
        ? Array.from({ length: dates }, (_, day) => noon - (dates - day) * DAY)
        : dates.map(Date.parse);
    await open(({ params }) => ({ after: 5_000, state: params.day === failsOn ? 'failed' : 'success' }));
    await stage.publish(one('daily', { params: { day: '$[yyyy-MM-dd]' } }));
    const { id } = await stage.client.startBackfill({
      body: {
        workflow: 'daily',
        times: times.map((time) => new Date(time).toISOString()),
        parallel: how === 'serial' ? 1 : parallelism,
      },
    });
    const run = id ?? 0;
    await stage.pass();
    if (input.oneKilled) await stage.control((await stage.children(run))[0].id, 'stop');
    await stage.rest(run);
    const runs = await runsOf('daily');
    const count = (state: string) => runs.filter((each) => each.state === state).length;
    const found: Expected = {
      maxConcurrent: mostAtOnce(runs),
      instances: runs.length,
      success: count('success'),
      failure: count('failed'),
      othersStillCreated: runs.length === times.length,
    };
    expect(found).toMatchObject(expected);
    if (failsOn !== undefined)
      expect(
        runs.filter(({ state }) => state === 'failed').map(({ businessTime }) => businessTime.slice(0, 10)),
      ).toEqual([failsOn]);
  }

  /** A delay of a minute is one wherever master and worker are. */
  async function zones(recorded: RecordedCase): Promise<void> {
    const { master } = wordsOf<{ master: string; worker: string }>(recorded.input, ['master', 'worker']);
    const { extraDelayHours } = wordsOf<{ extraDelayHours: number }>(recorded.expect, ['extraDelayHours']);
    await open();
    await stage.publish({
      name: 'flow',
      timezone: master,
      tasks: [{ name: 'A', type: 'noop', delay: '60s' }],
    });
    const run = await stage.start('flow');
    await stage.pass(58_000 + extraDelayHours * 3_600_000);
    expect((await stage.see(run)).tasks.A.state).toBe('delayed');
    await stage.pass(2_000);
    expect((await stage.see(run)).tasks.A.state).toBe('success');
  }

  /** What a run that waits for its turn does once the one before it has ended so. */
  async function afterPrevious(recorded: RecordedCase): Promise<void> {
    const { executionType, previous } = wordsOf<{ executionType: string; previous: string }>(recorded.input, [
      'executionType',
      'previous',
    ]);
    const { next } = wordsOf<{ next: string }>(recorded.expect, ['next']);
    if (next !== 'starts') throw notUnderstood(next);
    const [, how] = /^ended by (timeout|failure|success|stop)$/.exec(previous) ?? [];
    if (how === undefined) throw notUnderstood(previous);
    await open(() => ({
      after: how === 'timeout' ? 60_000 : 5_000,
      state: how === 'failure' ? 'failed' : 'success',
    }));
    await stage.publish(one('flow', { mode: modeOf(executionType), timeout: '20s' }));
    const first = await stage.start('flow');
    const second = await stage.start('flow');
    expect(await stateNow(second)).toBe('waiting');
    stage.act(() => ({}));
    if (how === 'stop') await stage.control(first, 'stop');
    await stage.pass(40_000);
    const ended = { timeout: 'failed', failure: 'failed', success: 'success', stop: 'stopped' }[how];
    expect([await stateNow(first), await stateNow(second)]).toEqual([ended, 'success']);
  }

  async function switched(recorded: RecordedCase): Promise<void> {
    const input = wordsOf<{ edges?: [string, string][]; switch: string }>(recorded.input, [
      'edges',
      'switch',
    ]);
    const expected = wordsOf<{ executed?: string[]; workflow?: string }>(recorded.expect, [
      'executed',
      'workflow',
    ]);
    await open();
    await stage.publish(scriptOf(input).flow);
    const { state } = await stage.rest(await stage.start('flow'));
    if (expected.workflow) expect(state).toBe(stateOf(expected.workflow));
    if (expected.executed) expect(['sw', ...stage.given()]).toEqual(expected.executed);
  }

  /** A workflow, what becomes of it, and a later one that depends on it. */
  async function dependent(recorded: RecordedCase): Promise<void> {
    const input = wordsOf<{ dag?: string; upstream?: string; downstream?: string }>(recorded.input, [
      ...['dag', 'upstream', 'downstream'],
    ]);
    const { dependent: state } = wordsOf<{ dependent: string }>(recorded.expect, ['dependent']);
    await open();
    const wait = (what: object) => ({
      name: 'later',
      tasks: [{ name: 'wait', type: 'dependent', with: { all: [what] } }],
    });
    if (input.dag !== undefined) {
      if (input.dag !== 'self dependency, very first run') throw notUnderstood(input.dag);
      await stage.publish({ ...wait({ workflow: 'later', window: 'previous' }), schedule: '0 * * * * ?' });
      await stage.pass(90_000);
      const [first] = await runsOf('later');
      expect((await stage.see(first.id)).tasks.wait.state).toBe(stateOf(state));
      return;
    }
    const { task, at } = awaited(input.downstream ?? '');
    await stage.publish(earlier(task), wait({ workflow: 'earlier', window: 'today', ...(task && { task }) }));
    const run = await stage.start('earlier', { ...(at && { businessTime: `2026-03-02T${at}:00Z` }) });
    await upstream(run, input.upstream ?? '', task);
    const later = await stage.rest(await stage.start('later'));
    expect(later.tasks.wait.state).toBe(stateOf(state));
  }

  /** `DEPENDENT on all`, `DEPENDENT on task X`, `DEPENDENT on task X that succeeded at 01:00`. */
  function awaited(said: string): { task?: string; at?: string } {
    const [, all, task, at] =
      /^DEPENDENT on (?:(all)|task (\w+))(?: that succeeded at (\d\d:\d\d))?$/.exec(said) ?? [];
    if (all === undefined && task === undefined) throw notUnderstood(said);
    return { task, at };
  }

  const earlier = (task = 'X') => ({
    name: 'earlier',
    tasks: [
      { name: task, type: 'noop' },
      { name: 'other', type: 'noop' },
      { name: 'off', type: 'noop', disabled: true },
    ],
  });

  /** What becomes of the workflow that others wait for. */
  async function upstream(run: number, said: string, task = 'X'): Promise<void> {
    const ran = /^contains a forbidden task; run (SUCCESS|FAILURE|STOP)$/.exec(said)?.[1];
    if (ran === 'FAILURE') stage.act(() => ({ state: 'failed' }));
    if (ran === 'STOP') stage.act(() => ({ after: 5_000 }));
    if (ran === 'STOP' || ran === 'FAILURE') {
      // The first round went well before what is asked about was known.
      await stage.rest(run);
      await stage.control(run, 'rerun');
      await stage.pass();
      if (ran === 'STOP') await stage.control(run, 'stop');
    } else if (/^re-ran only another task at \d\d:\d\d$/.test(said)) {
      await stage.rest(run);
      await stage.client.rerunRun({ id: run, body: { scope: { kind: 'only', tasks: ['other'] } } });
    } else if (ran === undefined) throw notUnderstood(said);
    await stage.rest(run);
    if (ran === undefined) expect(stage.given().filter((name) => name === task)).toHaveLength(1);
    stage.act(() => ({}));
  }

  /** Masters die while a run of two tasks is under way. */
  async function masterLost(recorded: RecordedCase): Promise<void> {
    const { event } = wordsOf<{ event: string }>(recorded.input, ['event']);
    const expected = wordsOf<{ eachTaskExecutions?: number; workflow?: string }>(recorded.expect, [
      'eachTaskExecutions',
      'workflow',
    ]);
    const pauses: Readonly<Record<string, readonly number[]>> = {
      'master loses registry for a while, other master takes over': Array(6).fill(1_500),
      'master dies': [1_500],
      // The next owner dies at every stage of taking over.
      'master dies in the middle of failing over': Array.from({ length: 30 }, (_, ms) => ms),
    };
    if (!Object.hasOwn(pauses, event)) throw notUnderstood(event);
    await open(() => ({ after: 3_000 }));
    await stage.publish(scriptOf({ dag: 'A->B' }).flow);
    const run = await stage.start('flow');
    for (const ms of pauses[event]) {
      stage.engine.crashMaster();
      await stage.pass(ms);
    }
    const { state } = await stage.rest(run);
    const wanted = expected.workflow ?? 'recovered later';
    expect(state).toBe(wanted === 'recovered later' ? 'success' : stateOf(wanted));
    const times = expected.eachTaskExecutions ?? 1;
    expect(stage.given()).toEqual(['A', 'B'].flatMap((name) => Array(times).fill(name)));
  }

  async function exported(recorded: RecordedCase): Promise<void> {
    const said = wordsOf<{ do: string }>(recorded.input, ['do']).do;
    const [, kind] =
      /^export a workflow with a (sub-workflow|dynamic task), import into another project$/.exec(said) ?? [];
    if (kind === undefined) throw notUnderstood(said);
    const { subWorkflowResolves } = wordsOf<{ subWorkflowResolves: boolean }>(recorded.expect, [
      'subWorkflowResolves',
    ]);
    await open();
    const task =
      kind === 'sub-workflow'
        ? { type: 'sub-workflow', with: { workflow: 'child' } }
        : { type: 'dynamic', with: { workflow: 'child', over: { n: '1' } } };
    const parent = { name: 'parent', tasks: [{ name: 'SUB', ...task }] };
    await stage.publish({ project: 'one', ...one('child') }, { project: 'one', ...parent });
    for (const name of ['child', 'parent']) {
      const text = await stage.client.readSource({ project: 'one', name, format: 'json' });
      await stage.publish({ ...(typeof text === 'string' ? JSON.parse(text) : text), project: 'two' });
    }
    const run = await stage.start('two/parent');
    expect((await stage.rest(run)).state).toBe('success');
    const children = (await stage.children(run)).map(({ project, name }) => `${project}/${name}`);
    expect(children.join() === 'two/child').toBe(subWorkflowResolves);
  }
});

/** Most runs that were under way at one time. */
function mostAtOnce(runs: readonly { startedAt: string | null; endedAt: string | null }[]): number {
  const times = runs.map(({ startedAt, endedAt }) => [
    Date.parse(startedAt ?? ''),
    Date.parse(endedAt ?? ''),
  ]);
  return Math.max(...times.map(([at]) => times.filter(([start, end]) => start <= at && at < end).length));
}
