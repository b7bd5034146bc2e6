import type { DependencyItem } from '@orrery/core/model';
import { startCommand } from '@orrery/store';
import { Engine, submitTo } from '@orrery/testkit/engine';
import { edges, task, workflow } from '@orrery/testkit/workflows';
import { describe, expect, it } from 'vitest';

describe('a master', () => {
  it('runs a workflow in the order of its graph', async () => {
    const engine = await Engine.start();
    const run = await engine.submit(
      edges([
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'd'],
        ['c', 'd'],
      ]),
    );
    await engine.pass(3_000);
    expect(await engine.states(run)).toEqual({
      run: 'success',
      tasks: { a: 'success', b: 'success', c: 'success', d: 'success' },
    });
    const order = engine.executed.map(({ taskName }) => taskName);
    expect(order[0]).toBe('a');
    expect(order[3]).toBe('d');
  });

  it('starts a run whose claimer died before it could', async () => {
    const engine = await Engine.start();
    const { store, clock } = engine;
    const run = await submitTo(store, workflow([task('a')]), clock.now());
    const dead = { id: 'dead', roles: ['master'], address: '', info: {}, now: clock.now() };
    const self = { node: 'dead', epoch: (await store.joinNode(dead)).epoch };
    await store.claimWork({ self, orphans: 0, starts: 1, now: clock.now() });
    expect(await engine.states(run)).toEqual({ run: 'running', tasks: {} });
    await engine.pass(20_000);
    expect(await engine.states(run)).toEqual({ run: 'success', tasks: { a: 'success' } });
  });

  it('holds a run as its claim has written it', async () => {
    const engine = await Engine.start({ after: 60_000 });
    const run = await engine.submit(workflow([task('a')]), { x: '1' });
    await engine.pass(1_000);
    const [{ rows }] = await engine.store.loadRuns({ runs: [run] });
    const { state, since, roundStarted, ...rest } = rows.fields;
    expect([state, since]).toEqual(['running', roundStarted]);
    expect(rest).toEqual({ round: 1, roundKind: 'start', picked: [], params: { x: '1' } });
    await engine.control(run, { type: 'pause' });
    await engine.pass(1_000);
    const [changed] = await engine.store.loadRuns({ runs: [run] });
    const paused = { state: 'pausing', since: expect.any(Number), pausedAt: expect.any(Number) };
    expect(changed.rows.fields).toEqual({ ...rows.fields, ...paused });
  });

  it('hands outputs on as parameters', async () => {
    const engine = await Engine.start(() => ({ after: 10, state: 'success', outputs: { rows: '42' } }));
    await engine.submit(
      workflow([
        task('a'),
        task('b', { needs: ['a'], with: { script: 'echo ${rows} ${day}' }, params: { day: '$[yyyyMMdd]' } }),
      ]),
    );
    await engine.pass(3_000);
    expect(engine.executed[1].with).toEqual({ script: 'echo 42 20231114' });
    expect(engine.executed[1].params).toEqual({ rows: '42', day: '20231114' });
  });

  it('fails an attempt whose parameters cannot be resolved, with the reason', async () => {
    const engine = await Engine.start();
    const run = await engine.submit(workflow([task('a', { params: { x: '${y}', y: '${x}' } })]));
    await engine.pass(3_000);
    expect(await engine.states(run)).toMatchObject({ run: 'failed' });
    expect(engine.executed).toEqual([]);
  });

  it('retries after the delay', async () => {
    const engine = await Engine.start(({ attempt }) => ({
      after: 10,
      state: attempt.number < 3 ? 'failed' : 'success',
    }));
    const retries = { limit: 2, delay: 5_000, backoff: 1, maxDelay: 60_000, on: 'any' } as const;
    const run = await engine.submit(workflow([task('a', { retries })]));
    await engine.pass(4_000);
    expect(await engine.states(run)).toEqual({ run: 'running', tasks: { a: 'retrying' } });
    await engine.pass(10_000);
    expect(await engine.states(run)).toEqual({ run: 'success', tasks: { a: 'success' } });
    expect(engine.executed).toHaveLength(3);
  });

  it('stops a run: what a worker has is killed, what is queued is withdrawn', async () => {
    const engine = await Engine.start({ after: 600_000 });
    const many = Array.from({ length: 12 }, (_, k) => task(`t${k}`));
    const run = await engine.submit(workflow(many));
    await engine.pass(1_000);
    expect(engine.executed).toHaveLength(8);
    await engine.control(run, { type: 'stop' });
    await engine.pass(12_000);
    const { run: state, tasks } = await engine.states(run);
    expect(state).toBe('stopped');
    expect(new Set(Object.values(tasks))).toEqual(new Set(['killed']));
    expect(engine.executed).toHaveLength(8);
  });

  it('pauses and resumes a run, and parks it meanwhile', async () => {
    const engine = await Engine.start({ after: 2_000 });
    const run = await engine.submit(edges([['a', 'b']]));
    await engine.pass(500);
    await engine.control(run, { type: 'pause' });
    await engine.pass(5_000);
    expect(await engine.states(run)).toEqual({ run: 'paused', tasks: { a: 'success', b: 'paused' } });
    expect((await engine.store.readRun({ id: run }))?.run.owner).toBeNull();
    await engine.control(run, { type: 'resume' });
    await engine.pass(5_000);
    expect(await engine.states(run)).toEqual({ run: 'success', tasks: { a: 'success', b: 'success' } });
  });

  it('recovers a failed run in a second round', async () => {
    let broken = true;
    const engine = await Engine.start(({ taskName }) => ({
      after: 10,
      state: broken && taskName === 'b' ? 'failed' : 'success',
    }));
    const run = await engine.submit(
      edges([
        ['a', 'b'],
        ['b', 'c'],
      ]),
    );
    await engine.pass(3_000);
    expect(await engine.states(run)).toEqual({
      run: 'failed',
      tasks: { a: 'success', b: 'failed', c: 'skipped' },
    });
    broken = false;
    await engine.control(run, { type: 'recover' });
    await engine.pass(3_000);
    expect(await engine.states(run)).toEqual({
      run: 'success',
      tasks: { a: 'success', b: 'success', c: 'success' },
    });
    expect(engine.executed.map(({ taskName }) => taskName)).toEqual(['a', 'b', 'b', 'c']);
  });

  it('runs a sub-workflow as a child run and hands its declared outputs back', async () => {
    const engine = await Engine.start(({ taskName }) => ({
      after: 10,
      state: 'success',
      outputs: taskName === 'inner' ? { total: '7', hidden: 'x' } : undefined,
    }));
    const output = { type: 'string', required: false, output: true } as const;
    await engine.publish(workflow([task('inner')], { name: 'child', params: { total: output } }));
    const call = task('call', { type: 'sub-workflow', with: { workflow: { name: 'child' }, params: {} } });
    const run = await engine.submit(
      workflow([call, task('after', { needs: ['call'], with: { script: '${total}${hidden}' } })], {
        name: 'parent',
      }),
    );
    await engine.pass(10_000);
    expect(await engine.states(run)).toEqual({
      run: 'success',
      tasks: { call: 'success', after: 'success' },
    });
    expect(engine.executed.find(({ taskName }) => taskName === 'after')?.with).toEqual({
      script: '7${hidden}',
    });
  });

  it('starts children that count for nothing where it counts for nothing itself', async () => {
    const engine = await Engine.start();
    await engine.publish(workflow([task('inner')], { name: 'child' }));
    const call = task('call', { type: 'sub-workflow', with: { workflow: { name: 'child' }, params: {} } });
    const flow = workflow([call, task('b')], { name: 'parent' });
    const live = { ...(await engine.publish(flow)), workflow: flow };
    const start = { trigger: 'manual', businessTime: engine.clock.now(), params: {} } as const;
    const command = startCommand(live, start);
    const part = {
      ...command,
      request: { ...command.request, counts: false },
      scope: { kind: 'only', tasks: ['call'] } as const,
    };
    const { run: parent } = await engine.store.submitCommand({ command: part, now: engine.clock.now() });
    await engine.pass(10_000);
    const [{ run: child }] = await engine.store.findChildren({ parent, task: 0 });
    expect((await engine.states(child)).run).toBe('success');
    const { id = 0 } = (await engine.store.readWorkflow({ project: 'default', name: 'child' })) ?? {};
    const wanted = [{ workflow: id, from: 0, to: Number.MAX_SAFE_INTEGER }];
    expect(await engine.store.readFacts({ wanted })).toEqual([]);
  });

  it('pauses, resumes and stops a child with its parent', async () => {
    const engine = await Engine.start({ after: 5_000 });
    await engine.publish({ ...edges([['first', 'second']]), name: 'child' });
    const call = task('call', { type: 'sub-workflow', with: { workflow: { name: 'child' }, params: {} } });
    const parent = await engine.submit(workflow([call], { name: 'parent' }));
    await engine.pass(3_000);
    const [child] = await engine.store.findChildren({ parent, task: 0 });
    await engine.control(parent, { type: 'pause' });
    await engine.pass(10_000);
    expect(await engine.states(parent)).toEqual({ run: 'paused', tasks: { call: 'paused' } });
    expect(await engine.states(child.run)).toEqual({
      run: 'paused',
      tasks: { first: 'success', second: 'paused' },
    });
    await engine.control(parent, { type: 'resume' });
    await engine.pass(3_000);
    expect((await engine.states(child.run)).run).toBe('running');
    await engine.control(parent, { type: 'stop' });
    await engine.pass(15_000);
    expect(await engine.states(child.run)).toMatchObject({ run: 'stopped' });
    expect(await engine.states(parent)).toEqual({ run: 'stopped', tasks: { call: 'killed' } });
  });

  it('recovers the same child of a parent that failed', async () => {
    let broken = true;
    const engine = await Engine.start(() => ({ after: 10, state: broken ? 'failed' : 'success' }));
    await engine.publish(workflow([task('inner')], { name: 'child' }));
    const call = task('call', { type: 'sub-workflow', with: { workflow: { name: 'child' }, params: {} } });
    const parent = await engine.submit(workflow([call], { name: 'parent' }));
    await engine.pass(10_000);
    expect((await engine.states(parent)).run).toBe('failed');
    broken = false;
    await engine.control(parent, { type: 'recover' });
    await engine.pass(10_000);
    expect(await engine.states(parent)).toEqual({ run: 'success', tasks: { call: 'success' } });
    expect(await engine.store.findChildren({ parent, task: 0 })).toHaveLength(1);
  });

  it('fails a sub-workflow that does not exist', async () => {
    const engine = await Engine.start();
    const call = task('call', { type: 'sub-workflow', with: { workflow: { name: 'nobody' }, params: {} } });
    const run = await engine.submit(workflow([call], { name: 'parent' }));
    await engine.pass(5_000);
    expect(await engine.states(run)).toEqual({ run: 'failed', tasks: { call: 'failed' } });
  });

  it('leaves starts waiting in order while there is no room, and serves inboxes all the same', async () => {
    const engine = await Engine.start({ after: 5_000 }, { room: 2 });
    const runs: number[] = [];
    for (let k = 0; k < 4; k++) runs.push(await engine.submit(workflow([task('a')], { name: `w${k}` })));
    await engine.pass(2_000);
    const states = await Promise.all(runs.map((run) => engine.states(run)));
    expect(states.map(({ run }) => run)).toEqual(['running', 'running', 'queued', 'queued']);
    await engine.control(runs[0], { type: 'stop' });
    await engine.pass(2_500);
    expect((await engine.states(runs[0])).run).toBe('stopped');
    await engine.pass(30_000);
    expect(await Promise.all(runs.slice(1).map(async (run) => (await engine.states(run)).run))).toEqual([
      'success',
      'success',
      'success',
    ]);
  });

  it('ends sub-workflows nested ten deep with room for a single run', async () => {
    const engine = await Engine.start({}, { room: 1 });
    await engine.publish(workflow([task('leaf')], { name: 'level0' }));
    for (let level = 1; level <= 10; level++) {
      const call = task('call', {
        type: 'sub-workflow',
        with: { workflow: { name: `level${level - 1}` }, params: {} },
      });
      await engine.publish(workflow([call], { name: `level${level}` }));
    }
    const top = task('call', { type: 'sub-workflow', with: { workflow: { name: 'level10' }, params: {} } });
    const runs: number[] = [];
    for (let k = 0; k < 3; k++) runs.push(await engine.submit(workflow([top], { name: 'top' })));
    await engine.pass(300_000);
    for (const run of runs)
      expect(await engine.states(run)).toEqual({ run: 'success', tasks: { call: 'success' } });
    expect(engine.executed).toHaveLength(3);
  });

  it('remembers who did what to a run: what was asked, what came of it, and who took it over', async () => {
    const engine = await Engine.start({ after: 60_000 });
    const run = await engine.submit(workflow([task('a')]));
    await engine.pass(1_000);
    const { store, clock } = engine;
    const dead = (await store.listNodes())[0];
    const ask = (type: 'pause' | 'resume', by: string) =>
      store.sendControl({ run, message: { type: 'control', control: { type }, by }, now: clock.now() });
    await ask('resume', 'ann');
    await engine.pass(2_000);
    await ask('pause', 'bob');
    await engine.pass(2_000);
    engine.crashMaster();
    await engine.pass(20_000);
    const history = await store.listHistory({ of: { kind: 'run', subject: String(run) }, limit: 20 });
    expect(history.toReversed().map(({ actor, action }) => [actor, action])).toEqual([
      ['ann', 'resume'],
      ['ann', 'resume-refused'],
      ['bob', 'pause'],
      ['bob', 'pause-done'],
      [dead.id, 'taken-over'],
    ]);
    expect(history.map(({ body }) => JSON.parse(body).reason)).toContain('the run is not paused');
    expect(JSON.parse(history[0].body)).toMatchObject({
      epoch: dead.epoch + 1,
      lost: { node: dead.id, epoch: dead.epoch, how: 'joined-again' },
    });
  });

  it('goes on after its process died, without running anything twice', async () => {
    const engine = await Engine.start({ after: 3_000 });
    const run = await engine.submit(
      edges([
        ['a', 'b'],
        ['b', 'c'],
      ]),
    );
    await engine.pass(4_000);
    engine.crashMaster();
    await engine.pass(60_000);
    expect(await engine.states(run)).toMatchObject({ run: 'success' });
    expect(engine.executed.map(({ taskName }) => taskName)).toEqual(['a', 'b', 'c']);
  });

  it('waits while the store is away, says so, and goes on by itself', async () => {
    const engine = await Engine.start({ after: 1_000 });
    const run = await engine.submit(edges([['a', 'b']]));
    await engine.pass(500);
    engine.away = true;
    await engine.pass(20_000);
    expect(engine.said.some((line) => line.includes('the store does not answer'))).toBe(true);
    engine.away = false;
    await engine.pass(40_000);
    expect(await engine.states(run)).toMatchObject({ run: 'success' });
    expect(engine.executed.map(({ taskName }) => taskName)).toEqual(['a', 'b']);
  });

  it('stops acting when another process takes its name', async () => {
    const engine = await Engine.start({ after: 1_000 });
    await engine.store.joinNode({
      id: 'm1',
      roles: ['master'],
      address: 'elsewhere',
      info: {},
      now: engine.clock.now(),
    });
    await engine.pass(3_000);
    expect(engine.said.some((line) => line.includes('stopped: '))).toBe(true);
  });
});

describe('several runs of one workflow', () => {
  const slow = [task('a')];

  it('run one after the other where the mode says so', async () => {
    const engine = await Engine.start({ after: 5_000 });
    const runs: number[] = [];
    for (let k = 0; k < 3; k++) runs.push(await engine.submit(workflow(slow, { mode: 'serial-wait' })));
    await engine.pass(2_000);
    expect((await engine.states(runs[0])).run).toBe('running');
    expect(engine.executed).toHaveLength(1);
    await engine.pass(30_000);
    for (const run of runs) expect((await engine.states(run)).run).toBe('success');
    expect(engine.executed.map(({ attempt }) => attempt.run)).toEqual(runs);
  });

  it('are dropped while one is open where the mode says so', async () => {
    const engine = await Engine.start({ after: 5_000 });
    const runs: number[] = [];
    for (let k = 0; k < 3; k++) runs.push(await engine.submit(workflow(slow, { mode: 'serial-discard' })));
    await engine.pass(20_000);
    expect(await Promise.all(runs.map(async (run) => (await engine.states(run)).run))).toEqual([
      'success',
      'stopped',
      'stopped',
    ]);
  });

  it('give way to the newest where the mode says so', async () => {
    const engine = await Engine.start({ after: 5_000 });
    const runs: number[] = [];
    for (let k = 0; k < 3; k++) runs.push(await engine.submit(workflow(slow, { mode: 'serial-priority' })));
    await engine.pass(30_000);
    expect(await Promise.all(runs.map(async (run) => (await engine.states(run)).run))).toEqual([
      'stopped',
      'stopped',
      'success',
    ]);
  });

  it('are never more than the limit, through a crash as well', async () => {
    let most = 0;
    const engine = await Engine.start({ after: 1_000 });
    const runs: number[] = [];
    for (let k = 0; k < 9; k++) runs.push(await engine.submit(workflow(slow, { limit: 2 })));
    for (let k = 0; k < 60; k++) {
      await engine.pass(500);
      const states = await Promise.all(runs.map(async (run) => (await engine.states(run)).run));
      most = Math.max(most, states.filter((state) => state === 'running').length);
      if (k === 3) engine.crashMaster();
    }
    expect(most).toBe(2);
    for (const run of runs) expect((await engine.states(run)).run).toBe('success');
  });

  it('can be stopped while they wait, and the next one goes on', async () => {
    const engine = await Engine.start({ after: 5_000 });
    const runs: number[] = [];
    for (let k = 0; k < 3; k++) runs.push(await engine.submit(workflow(slow, { mode: 'serial-wait' })));
    await engine.pass(1_000);
    await engine.control(runs[1], { type: 'stop' });
    await engine.pass(2_000);
    expect((await engine.states(runs[1])).run).toBe('stopped');
    await engine.pass(20_000);
    expect(await Promise.all(runs.map(async (run) => (await engine.states(run)).run))).toEqual([
      'success',
      'stopped',
      'success',
    ]);
  });
});

describe('a dependent task', () => {
  const waitsFor = (name: string, item: Partial<DependencyItem> = {}) =>
    workflow(
      [
        task('wait', {
          type: 'dependent',
          with: {
            relation: 'all',
            groups: [
              {
                relation: 'all',
                items: [{ workflow: { name }, window: 'today', onFailure: 'fail', ...item }],
              },
            ],
          },
        }),
        task('after', { needs: ['wait'] }),
      ],
      { name: 'dependent' },
    );

  it('waits until the other workflow has succeeded in its window, parked and without polling', async () => {
    const engine = await Engine.start();
    const run = await engine.submit(waitsFor('upstream'));
    await engine.pass(5_000);
    expect(await engine.states(run)).toMatchObject({ run: 'running', tasks: { wait: 'waiting' } });
    expect((await engine.store.readRun({ id: run }))?.run.owner).toBeNull();
    await engine.submit(workflow([task('a')], { name: 'upstream' }));
    await engine.pass(3_000);
    expect(await engine.states(run)).toMatchObject({ run: 'running', tasks: { wait: 'waiting' } });
    await engine.pass(60_000);
    expect(await engine.states(run)).toEqual({
      run: 'success',
      tasks: { wait: 'success', after: 'success' },
    });
  });

  it('is woken by the end of a run it knows, not by a look', async () => {
    const engine = await Engine.start({ after: 8_000 });
    await engine.publish(workflow([task('a')], { name: 'upstream' }));
    const run = await engine.submit(waitsFor('upstream'));
    await engine.pass(2_000);
    await engine.submit(workflow([task('a')], { name: 'upstream' }));
    await engine.pass(10_500);
    expect((await engine.states(run)).tasks.wait).toBe('success');
  });

  it('waits for a better run no longer than it says', async () => {
    const mood = { fails: true };
    const engine = await Engine.start(() => ({ after: 10, state: mood.fails ? 'failed' : 'success' }));
    const upstream = workflow([task('a')], { name: 'upstream' });
    await engine.submit(upstream);
    await engine.pass(2_000);
    const impatient = await engine.submit(waitsFor('upstream', { onFailure: 'wait', for: 60_000 }));
    await engine.pass(50_000);
    expect((await engine.states(impatient)).tasks.wait).toBe('waiting');
    await engine.pass(60_000);
    expect((await engine.states(impatient)).tasks.wait).toBe('failed');
    const patient = await engine.submit(waitsFor('upstream', { onFailure: 'wait', for: 3_600_000 }));
    await engine.pass(600_000);
    mood.fails = false;
    await engine.submit(upstream);
    await engine.pass(10_000);
    expect((await engine.states(patient)).run).toBe('success');
  });

  it('fails when the other workflow failed', async () => {
    const engine = await Engine.start(({ taskName }) => ({
      after: 10,
      state: taskName === 'bad' ? 'failed' : 'success',
    }));
    await engine.submit(workflow([task('bad')], { name: 'upstream' }));
    await engine.pass(2_000);
    const run = await engine.submit(waitsFor('upstream'));
    await engine.pass(3_000);
    expect(await engine.states(run)).toEqual({ run: 'failed', tasks: { wait: 'failed', after: 'skipped' } });
  });
});
