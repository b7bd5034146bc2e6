import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testDatabases } from '../databases.ts';
import { casesOf, notUnderstood, wordsOf } from './recorded.ts';
import { actOf, millis, type Script, type ScriptGiven, scriptOf } from './script.ts';
import { type Acts, CaseStage, type SeenRun } from './stage.ts';
import { controlOf, modeOf, stateOf } from './words.ts';

interface Input extends ScriptGiven {
  readonly do?: string;
  readonly dryRun?: boolean;
  readonly globalParams?: Record<string, string>;
  readonly startParams?: Record<string, string>;
  readonly startNodes?: readonly string[];
  readonly taskDependType?: string;
  readonly retryTimes?: number;
  readonly retryIntervalMinutes?: number;
  readonly failureStrategy?: string;
  /** Of every task, and of the workflow, such as `10s`; what happens then. */
  readonly timeout?: string;
  readonly workflowTimeout?: string;
  readonly timeoutStrategy?: string;
  readonly dispatchTimeout?: string;
  readonly executionType?: string;
  readonly start?: string;
}

interface Expected {
  readonly workflow?: string;
  /** By name, by name and number of the attempt (`A#1`), or in order. */
  readonly tasks?: Readonly<Record<string, string>> | readonly string[];
  readonly sub?: Expected & { readonly count?: number; readonly sameInstance?: boolean };
  readonly neverStarted?: readonly string[];
  readonly taskCount?: number;
  readonly attempts?: number;
  readonly runTimes?: number;
  readonly executed?: boolean;
  readonly withinSeconds?: number;
  readonly immediately?: readonly string[];
  readonly finally?: readonly string[];
  readonly endTimesAtLeast5sApart?: boolean;
}

const inputWords = [
  ...['dag', 'edges', 'fails', 'running', 'forbidden', 'durations', 'switch', 'do', 'dryRun', 'globalParams'],
  ...['startParams', 'startNodes', 'taskDependType', 'retryTimes', 'retryIntervalMinutes', 'failureStrategy'],
  ...['timeout', 'workflowTimeout', 'timeoutStrategy', 'dispatchTimeout', 'executionType', 'start'],
];
const runWords = [
  ...['workflow', 'tasks', 'sub', 'neverStarted', 'taskCount', 'attempts', 'runTimes', 'executed'],
  ...['withinSeconds', 'immediately', 'finally', 'endTimesAtLeast5sApart'],
];
const childWords = [...runWords, 'count', 'sameInstance'];

/** There a dispatch that takes too long is looked at every so often; nothing here waits for a look. */
const STILL = 30_000;

describe.each(testDatabases())('the engine, through its API, on $name', (database) => {
  let stage: CaseStage;
  const open = async (...[acts, options]: [Acts?, Parameters<typeof CaseStage.open>[2]?]) => {
    stage = await CaseStage.open(await database.open(), acts, options);
  };
  afterEach(() => stage.close());
  afterAll(() => database.close());

  it.each(['engine-start', 'engine-start-2026', 'engine-control'].flatMap(casesOf))('$id', async (one) => {
    const input = wordsOf<Input>(one.input, inputWords);
    const expected = byTimeout(input, wordsOf<Expected>(one.expect, runWords));
    if (input.start === undefined) await playRun(input, expected);
    else await playStarts(input, expected);
  });

  /** One run, and what somebody does to it. */
  async function playRun(input: Input, expected: Expected): Promise<void> {
    const script = scriptOf({ ...input, task: taskKeys(input), workflow: workflowKeys(input) });
    await open(actsOf(script, false), script.workers ? {} : { workers: {} });
    await stage.publish(...(script.child ? [script.child.flow] : []), script.flow);
    const { startParams: params = {}, dryRun = false, dispatchTimeout = 'off' } = input;
    const run = await stage.start('flow', { params, dryRun, scope: scopeOf(input) });
    if (dispatchTimeout !== 'off') {
      await stage.pass(millis(dispatchTimeout) - 2_000);
      expect((await stage.see(run)).state).toBe('running');
    }
    if (script.at === 'paused' || script.at === 'stopped')
      await stage.control(run, script.at === 'paused' ? 'pause' : 'stop');
    if (script.at !== 'start' && script.at !== 'running') await stage.rest(run);
    stage.act(actsOf(script, script.mended));
    const before = await stage.children(run);
    if (input.do !== undefined) await stage.control(run, controlOf(input.do));
    const seen = await settled(run, expected);
    expectRun(seen, expected);
    if (expected.executed === false) expect(stage.given()).toEqual([]);
    if (expected.sub) await expectChildren(run, wordsOf(expected.sub, childWords), before[0]?.id);
  }

  /** The run once it is over; after a while, where the case says that it is not. */
  async function settled(run: number, { workflow, withinSeconds }: Expected): Promise<SeenRun> {
    const open = workflow !== undefined && stateOf(workflow) === 'running';
    if (!open && withinSeconds === undefined) return stage.rest(run);
    await stage.pass(withinSeconds === undefined ? STILL : withinSeconds * 1_000);
    return stage.see(run);
  }

  async function expectChildren(
    run: number,
    expected: Expected & { readonly count?: number; readonly sameInstance?: boolean },
    before: number | undefined,
  ): Promise<void> {
    const children = await stage.children(run);
    expect(children).toHaveLength(expected.count ?? 1);
    if (children.length === 0) return;
    if (before !== undefined) expect(children[0].id === before).toBe(expected.sameInstance ?? true);
    expectRun(await stage.see(children[0].id), expected);
  }

  /** `3 times at once, each takes 5 s`. */
  async function playStarts(input: Input, expected: Expected): Promise<void> {
    const [, count, time = '5 s'] =
      /^(\d+) times at once(?:, each takes (\d+ s))?$/.exec(input.start ?? '') ?? [];
    if (count === undefined) throw notUnderstood(input.start);
    const { flow } = scriptOf({ dag: 'A', ...input, workflow: workflowKeys(input) });
    await open(() => ({ after: millis(time) }));
    await stage.publish(flow);
    const runs: number[] = [];
    for (let k = 0; k < Number(count); k++)
      runs.push((await stage.client.startRun({ body: { workflow: 'flow' } })).id);
    await stage.pass();
    const see = () => Promise.all(runs.map((id) => stage.client.showRun({ id })));
    if (expected.immediately)
      expect((await see()).map(({ state }) => state)).toEqual(expected.immediately.map(stateOf));
    await stage.pass(Number(count) * (millis(time) + 2_000));
    const ended = await see();
    if (expected.finally) expect(ended.map(({ state }) => state)).toEqual(expected.finally.map(stateOf));
    if (!expected.endTimesAtLeast5sApart) return;
    const ends = ended.map(({ endedAt }) => Date.parse(endedAt ?? ''));
    ends.slice(1).forEach((end, k) => {
      expect(end - ends[k]).toBeGreaterThanOrEqual(5_000);
    });
  }

  interface FailoverInput {
    readonly workflowState: string;
    readonly taskState: string;
    readonly event: string;
  }

  it.each(casesOf('engine-failover'))('$id', async (one) => {
    const input = wordsOf<FailoverInput>(one.input, ['workflowState', 'taskState', 'event']);
    const expected = wordsOf<{ workflow: string; taskInstances: string[] }>(one.expect, [
      'workflow',
      'taskInstances',
    ]);
    // There a task that a worker was given is tried again; here its attempt goes on, and is the only one.
    const again = expected.taskInstances.some((state) => state.startsWith('NEED_FAULT_TOLERANCE'));
    const stopped = input.workflowState === 'READY_STOP';
    const [run, tasks] = again
      ? stopped
        ? ['stopped', ['killed']]
        : ['success', ['success']]
      : [stateOf(expected.workflow), expected.taskInstances.map(stateOf)];
    const seen = await failover(input);
    expect([seen.state, Object.values(seen.tasks).map(({ state }) => state)]).toEqual([run, tasks]);
    expect(seen.tasks.A.attempts.length).toBeLessThanOrEqual(1);
  });

  /** The owner dies with run and task as the case says: what the worker then reports reaches the next one. */
  async function failover({ workflowState, taskState, event }: FailoverInput): Promise<SeenRun> {
    if (event !== 'the coordinator that owned them died') throw notUnderstood(event);
    if (!['RUNNING', 'READY_PAUSE', 'READY_STOP'].includes(workflowState)) throw notUnderstood(workflowState);
    if (!['SUBMITTED', 'DISPATCH', 'RUNNING', 'SUCCESS', 'FAILURE', 'KILL'].includes(taskState))
      throw notUnderstood(taskState);
    const state = taskState === 'FAILURE' ? 'failed' : 'success';
    const ends = { SUCCESS: 2_100, FAILURE: 2_100, KILL: 60_000 }[taskState] ?? 5_000;
    // What ended by itself was not called back in time.
    const dies = { KILL: 1_100, SUCCESS: 60_000, FAILURE: 60_000 }[taskState];
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

/** Attempts that go as a script says; ones in a run that somebody changes take long enough for that. */
function actsOf(script: Script, mended: boolean): Acts {
  return ({ taskName, params }) => {
    const { fails = false, fatal, takes, onlyIf } = actOf(script, taskName);
    const wrong = onlyIf !== undefined && params[onlyIf.name] !== onlyIf.value;
    const slow = script.at !== 'start' && script.at !== 'finished';
    return {
      after: takes ?? (slow ? 5_000 : 10),
      state: wrong || (fails && !mended) ? 'failed' : 'success',
      fatal,
    };
  };
}

/** What was too slow was killed and stopped there; here it has failed. */
function byTimeout({ timeout, workflowTimeout, timeoutStrategy }: Input, expected: Expected): Expected {
  if (timeout === undefined && workflowTimeout === undefined) return expected;
  if (actionOf(timeoutStrategy) === 'warn') return expected;
  const { workflow, tasks } = expected;
  const failed = (state: string) => (/^(KILL|STOP)$/.test(state) ? 'FAILURE' : state);
  return {
    ...expected,
    ...(workflow !== undefined && { workflow: failed(workflow) }),
    // A workflow that is too slow calls its tasks back here too.
    ...(timeout !== undefined &&
      tasks && {
        tasks: Array.isArray(tasks)
          ? tasks.map(failed)
          : Object.fromEntries(Object.entries(tasks).map(([name, state]) => [name, failed(state)])),
      }),
  };
}

function actionOf(strategy = 'FAILED'): string {
  const action = { WARN: 'warn', FAILED: 'fail', WARNFAILED: 'both' }[strategy];
  if (action === undefined) throw notUnderstood(strategy);
  return action;
}

function limitOf(time: string | undefined, strategy: string | undefined): object {
  return time === undefined ? {} : { timeout: { after: `${millis(time)}ms`, action: actionOf(strategy) } };
}

function taskKeys(input: Input): object {
  const { retryTimes = 0, retryIntervalMinutes = 0, dispatchTimeout = 'off' } = input;
  return {
    retries: { limit: retryTimes, delay: `${retryIntervalMinutes}m` },
    ...limitOf(input.timeout, input.timeoutStrategy),
    ...(dispatchTimeout !== 'off' && { queueTimeout: dispatchTimeout }),
  };
}

function workflowKeys(input: Input): object {
  const { globalParams, failureStrategy = 'CONTINUE', executionType } = input;
  if (failureStrategy !== 'END' && failureStrategy !== 'CONTINUE') throw notUnderstood(failureStrategy);
  return {
    ...(globalParams && { params: globalParams }),
    ...(failureStrategy === 'END' && { onFailure: 'end' }),
    ...(executionType && { mode: modeOf(executionType) }),
    ...limitOf(input.workflowTimeout, input.timeoutStrategy),
  };
}

function scopeOf({ startNodes, taskDependType = 'TASK_POST' }: Input): object | undefined {
  if (!startNodes) return undefined;
  const kind = { TASK_POST: 'from', TASK_ONLY: 'only', TASK_PRE: 'to' }[taskDependType];
  if (kind === undefined) throw notUnderstood(taskDependType);
  return { kind, tasks: startNodes };
}

function expectRun(seen: SeenRun, expected: Expected): void {
  if (expected.workflow !== undefined) expect(seen.state).toBe(stateOf(expected.workflow));
  if (Array.isArray(expected.tasks)) {
    expect(Object.values(seen.tasks).map(({ state }) => state)).toEqual(expected.tasks.map(stateOf));
  } else {
    for (const [key, state] of Object.entries(expected.tasks ?? {})) {
      const [name, attempt] = key.split('#');
      const task = seen.tasks[name];
      if (!task) throw notUnderstood(key);
      expect({ [key]: attempt ? task.attempts[Number(attempt) - 1] : task.state }).toEqual({
        [key]: stateOf(state),
      });
    }
  }
  for (const name of expected.neverStarted ?? [])
    expect(seen.tasks[name]).toMatchObject({ attempts: [], startedAt: null });
  if (expected.runTimes !== undefined) expect(seen.round).toBe(expected.runTimes);
  const attempts = Object.values(seen.tasks).reduce((sum, task) => sum + task.attempts.length, 0);
  if (expected.attempts !== undefined) expect(attempts).toBe(expected.attempts);
  if (expected.taskCount !== undefined) expect(instances(seen)).toBe(expected.taskCount);
}

/** Rows that they keep: one for each attempt, and one for a task that was only held. */
function instances({ tasks }: SeenRun): number {
  const touched = Object.values(tasks).filter(
    ({ state }) => !['pending', 'skipped', 'passed', 'excluded'].includes(state),
  );
  return touched.reduce((sum, { attempts }) => sum + Math.max(1, attempts.length), 0);
}
