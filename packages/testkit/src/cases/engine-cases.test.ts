import { afterAll, afterEach, describe, expect, it } from 'vitest';
import dolphin from '../../../core/fixtures/dolphinscheduler-cases.json' with { type: 'json' };
import { testDatabases } from '../databases.ts';
import { failing, scriptOf } from './script.ts';
import { type Acts, CaseStage, type SeenRun } from './stage.ts';

interface Expected {
  readonly workflow: string;
  readonly tasks?: Record<string, string> | string[];
  readonly sub?: Expected & { readonly count?: number };
  readonly taskInstances: string[];
  readonly neverStarted?: string[];
  readonly taskCount?: number;
  readonly attempts?: number;
  readonly runTimes?: number;
  readonly executed?: boolean;
}

interface Case {
  readonly id: string;
  readonly input: Parameters<typeof scriptOf>[0] & {
    readonly do?: string;
    readonly dryRun?: boolean;
    readonly globalParams?: Record<string, string>;
    readonly startParams?: Record<string, string>;
    readonly retryTimes?: number;
    readonly retryIntervalMinutes?: number;
    readonly workflowState: string;
    readonly taskState: string;
  };
  readonly expect: Expected;
}

const casesOf = (suite: string) =>
  (dolphin.suites.find(({ id }) => id === suite)?.cases ?? []) as unknown as Case[];

/** Their names of states in ours. */
const stateNames: Record<string, string> = {
  SUCCESS: 'success',
  FAILURE: 'failed',
  STOP: 'stopped',
  PAUSE: 'paused',
  KILL: 'killed',
};
const ours = (state: string) => stateNames[state.replace(/\(.*/, '')];

const controls = {
  pause: 'pause',
  stop: 'stop',
  resume: 'resume',
  rerun: 'rerun',
  'recover from failed': 'recover',
} as const;

describe.each(testDatabases())('the engine, through its API, on $name', (database) => {
  let stage: CaseStage;
  const open = async (...[acts, options]: [Acts?, Parameters<typeof CaseStage.open>[2]?]) => {
    stage = await CaseStage.open(await database.open(), acts, options);
    return stage;
  };
  afterEach(() => stage.close());
  afterAll(() => database.close());

  it.each([...casesOf('engine-start'), ...casesOf('engine-control')])(
    '$id',
    async ({ id, input, expect: expected }) => {
      const { globalParams = {}, startParams = {}, dryRun = false, retryTimes = 0 } = input;
      const script =
        id === 'engine-start-07'
          ? scriptOf({ dag: 'A, B', workflow: { params: globalParams } })
          : scriptOf({
              ...input,
              task: { retries: { limit: retryTimes, delay: `${input.retryIntervalMinutes ?? 0}m` } },
            });
      const wanted = { A: globalParams.name, B: startParams.name };
      const acts =
        (mended: boolean): Acts =>
        ({ taskName, params }) => {
          const right = startParams.name === undefined || wanted[taskName as 'A' | 'B'] === params.name;
          const fails = !right || (failing(script).includes(taskName) && !mended);
          return {
            after: script.at === 'running' || script.at === 'paused' ? 5_000 : 10,
            state: fails ? 'failed' : 'success',
          };
        };
      await open(acts(false));
      await stage.publish(...(script.child ? [script.child.flow] : []), script.flow);
      const run = await stage.start('flow', { params: startParams, dryRun });
      if (script.at === 'paused') await stage.control(run, 'pause');
      if (script.at === 'paused' || script.at === 'finished') await stage.rest(run);
      stage.act(acts(script.mended));
      const [first] = await stage.children(run);
      if (input.do) await stage.control(run, controls[input.do as keyof typeof controls]);
      const seen = await stage.rest(run);
      expectRun(seen, expected);
      if (expected.executed === false) expect(stage.given()).toEqual([]);
      if (!expected.sub) return;
      const children = await stage.children(run);
      expect(children).toHaveLength(expected.sub.count ?? 1);
      if (expected.sub.count === 0) return;
      if (first) expect(children[0].id).toBe(first.id);
      expectRun(await stage.see(children[0].id), expected.sub);
    },
  );

  it.each(casesOf('engine-failover').filter(({ id }) => !(id in different)))(
    '$id',
    async ({ input, expect: expected }) => {
      expectOnly(await failover(input), expected.taskInstances.map(ours), ours(expected.workflow));
    },
  );

  it.each(casesOf('engine-failover').filter(({ id }) => id in different))(
    '$id: the attempt that a worker was given goes on, and there is no other',
    async ({ id, input }) => {
      const { run, task } = different[id];
      expectOnly(await failover(input), [task], run);
    },
  );

  /** The owner dies with run and task as the case says: what the worker then reports reaches the next one. */
  async function failover({ workflowState, taskState }: Case['input']): Promise<SeenRun> {
    const state = taskState === 'FAILURE' ? 'failed' : 'success';
    const ends = { SUCCESS: 2_100, FAILURE: 2_100, KILL: 60_000 }[taskState] ?? 5_000;
    const dies = taskState === 'KILL' ? 1_100 : taskState === 'DISPATCH' ? undefined : 60_000;
    await open(() => ({ after: ends, state, dies }), { workers: taskState === 'SUBMITTED' ? {} : undefined });
    await stage.publish(scriptOf({ dag: 'A' }).flow);
    const run = await stage.start('flow');
    if (workflowState === 'READY_STOP') await stage.control(run, 'stop');
    await stage.pass();
    // Nobody has heard of a pause yet when the owner dies.
    if (workflowState === 'READY_PAUSE') await stage.control(run, 'pause');
    stage.engine.crashMaster();
    if (taskState === 'SUBMITTED') {
      await stage.pass();
      stage.engine.startWorker('w1');
    }
    return stage.rest(run);
  }
});

/** There a task that a worker was given is tried again when the owner dies. */
const different: Record<string, { readonly run: string; readonly task: string }> = {
  'engine-failover-03': { run: 'success', task: 'success' },
  'engine-failover-07': { run: 'success', task: 'success' },
  'engine-failover-12': { run: 'stopped', task: 'killed' },
};

function expectRun(seen: SeenRun, expected: Expected): void {
  expect(seen.state).toBe(ours(expected.workflow));
  if (Array.isArray(expected.tasks)) {
    expect(Object.values(seen.tasks).map(({ state }) => state)).toEqual(expected.tasks.map(ours));
  } else {
    for (const [key, state] of Object.entries(expected.tasks ?? {})) {
      const [name, attempt] = key.split('#');
      const task = seen.tasks[name];
      expect({ [key]: attempt ? task.attempts[Number(attempt) - 1] : task.state }).toEqual({
        [key]: ours(state),
      });
    }
  }
  for (const name of expected.neverStarted ?? []) {
    expect(seen.tasks[name]).toMatchObject({ attempts: [], startedAt: null });
  }
  if (expected.runTimes) expect(seen.round).toBe(expected.runTimes);
  if (expected.attempts) expect(seen.tasks.A.attempts).toHaveLength(expected.attempts);
  if (expected.taskCount) expect(instances(seen)).toBe(expected.taskCount);
}

/** The one task of a run and the one attempt of it, if any was made. */
function expectOnly(seen: SeenRun, tasks: readonly string[], run: string): void {
  expect([seen.state, Object.values(seen.tasks).map(({ state }) => state)]).toEqual([run, tasks]);
  expect(seen.tasks.A.attempts.length).toBeLessThanOrEqual(1);
}

/** Rows that they keep: one for each attempt, and one for a task that was only held. */
function instances({ tasks }: SeenRun): number {
  const touched = Object.values(tasks).filter(({ state }) => state !== 'pending' && state !== 'skipped');
  return touched.reduce((sum, { attempts }) => sum + Math.max(1, attempts.length), 0);
}
