import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
let id: number;
beforeEach(async () => {
  api = await testApi();
  await api.publish(`
name: w
params: {day: {type: date, default: 2026-01-01}}
tasks:
  - {name: a, type: shell}
  - {name: b, type: shell, needs: a}
`);
  ({ id } = (await api.post('/runs', { workflow: 'w' })).body);
  await api.hand.claim();
  api.hinted.length = 0;
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const inbox = async () => (await api.store.loadRuns({ runs: [id] }))[0].inbox.map(({ message }) => message);

describe('controls', () => {
  it.each([
    ['running', 'pause', undefined, { type: 'pause' }],
    ['paused', 'resume', {}, { type: 'resume' }],
    ['running', 'stop', undefined, { type: 'stop' }],
    ['failed', 'recover', undefined, { type: 'recover' }],
    ['success', 'rerun', undefined, { type: 'rerun', scope: { kind: 'all', tasks: [] } }],
    [
      'failed',
      'rerun',
      { scope: { kind: 'from', tasks: ['b'] } },
      { type: 'rerun', scope: { kind: 'from', tasks: ['b'] } },
    ],
    [
      'paused',
      'set-params',
      { params: { day: '2026-05-05' } },
      { type: 'set-params', params: { day: '2026-05-05' } },
    ],
  ] as const)('on a run that is %s, %s goes to its inbox', async (state, control, body, message) => {
    await api.hand.change(id, { state });
    const { status, body: answer } = await api.post(`/runs/${id}/${control}`, body);
    const at = new Date(START).toISOString();
    const recorded = { run: id, control, by: 'admin', at, reason: null, recorded: true, would: null };
    expect([status, answer]).toEqual([202, recorded]);
    expect(await inbox()).toEqual([{ type: 'control', control: message, by: 'admin' }]);
    expect(api.hinted).toEqual([['inbox', id]]);
  });

  it.each([
    ['running', 'resume', 'the run is not paused'],
    ['success', 'pause', 'the run has ended'],
    ['success', 'recover', 'the run succeeded; there is nothing to recover'],
    ['stopping', 'stop', 'the run is already being stopped'],
    ['running', 'rerun', 'the run is still running; stop it first'],
    ['broken', 'pause', 'the run is broken; recover or stop it'],
  ] as const)('on a run that is %s, %s is refused: %s', async (state, control, reason) => {
    await api.hand.change(id, { state });
    const { status, body } = await api.post(`/runs/${id}/${control}`);
    expect([status, body.detail]).toEqual([409, reason]);
    expect(await inbox()).toEqual([]);
    expect(api.hinted).toEqual([]);
  });

  it('of one task are judged by its state', async () => {
    await api.hand.joinWorker();
    await api.hand.change(id, { state: 'running', startedAt: START });
    await api.hand.enqueue(id, 0);
    expect((await api.post(`/runs/${id}/kill`, { task: 'a', reason: 'too slow' })).status).toBe(202);
    expect(await inbox()).toMatchObject([{ control: { type: 'kill', task: 'a', reason: 'too slow' } }]);
    const refused = await api.post(`/runs/${id}/force`, { task: 'b' });
    expect([refused.status, refused.body.detail]).toEqual([409, 'the task has not started']);
    const now = await api.post(`/runs/${id}/start-now`, { task: 'a' });
    expect([now.status, now.body.detail]).toEqual([
      409,
      'the task is not delayed and not waiting to retry or for a slot of its task group',
    ]);
  });

  it.each([
    ['force', {}, 422, /^task: /],
    ['force', { task: 'nosuch' }, 404, /has no task "nosuch"/],
    ['rerun', { scope: { kind: 'only', tasks: ['c'] } }, 422, /there is no task "c"/],
    ['rerun', { scope: { kind: 'only' } }, 422, /name tasks/],
    ['set-params', { params: { day: 'today' } }, 422, /"today" is not of type date/],
    ['set-params', { params: { dya: '2026-01-01' } }, 422, /did you mean "day"/],
    ['pause', { now: true }, 422, /now: unknown/],
    ['explode', {}, 404, /there is no POST/],
  ])('%s with %j is refused with %i', async (control, body, status, detail) => {
    const answer = await api.post(`/runs/${id}/${control}`, body);
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toMatch(detail);
    expect(await inbox()).toEqual([]);
  });

  it('keep who asked and why', async () => {
    await api.hand.change(id, { state: 'running' });
    await api.post(`/runs/${id}/stop`, { reason: 'wrong day' });
    const history = await api.store.listHistory({ of: { kind: 'run', subject: String(id) }, limit: 9 });
    expect(history).toMatchObject([{ actor: 'admin', action: 'stop' }]);
    expect(JSON.parse(history[0].body)).toEqual({ control: { type: 'stop' }, reason: 'wrong day' });
  });

  it('are refused for a run that does not exist', async () => {
    expect((await api.post('/runs/4711/stop')).status).toBe(404);
  });
});

describe('a dry run of a control', () => {
  const shard = { state: 'out', attempt: 1, failures: 0, lost: 0 } as const;
  const ended = { ...shard, state: 'failed' } as const;
  const would = async (control: string, body: object = {}) => {
    const answer = await api.post(`/runs/${id}/${control}`, { ...body, dryRun: true });
    expect([answer.status, answer.body.recorded]).toEqual([200, false]);
    return answer.body.would;
  };
  afterEach(async () => {
    expect(await inbox()).toEqual([]);
    expect(api.hinted).toEqual([]);
  });

  it('says what would run again', async () => {
    await api.hand.change(id, {
      state: 'failed',
      tasks: [
        [0, api.hand.task('success', { shards: [{ ...shard, state: 'success' }] })],
        [1, api.hand.task('failed', { shards: [ended] })],
      ],
    });
    expect(await would('recover')).toEqual({
      effects: [{ what: 'again', count: 1, tasks: ['b'] }],
      kept: 1,
    });
    expect(await would('rerun')).toEqual({
      effects: [{ what: 'again', count: 2, tasks: ['a', 'b'] }],
      kept: 0,
    });
    expect(await would('rerun', { scope: { kind: 'only', tasks: ['a'] } })).toEqual({
      effects: [{ what: 'again', count: 1, tasks: ['a'] }],
      kept: 1,
    });
    expect(await would('force', { task: 'b' })).toEqual({
      effects: [{ what: 'force', count: 1, tasks: ['b'] }],
      kept: 1,
    });
  });

  it('says what would be killed or held', async () => {
    await api.hand.change(id, {
      state: 'running',
      tasks: [[0, api.hand.task('running', { started: START, shards: [{ ...shard, worker: 'w1' }] })]],
    });
    expect(await would('stop')).toEqual({ effects: [{ what: 'kill', count: 1, tasks: ['a'] }], kept: 1 });
    expect(await would('kill', { task: 'a' })).toEqual({
      effects: [{ what: 'kill', count: 1, tasks: ['a'] }],
      kept: 1,
    });
    expect(await would('pause')).toEqual({ effects: [{ what: 'hold', count: 1, tasks: ['a'] }], kept: 1 });
  });

  it('says what would go on', async () => {
    await api.hand.change(id, {
      state: 'paused',
      tasks: [[0, api.hand.task('paused')]],
    });
    expect(await would('resume')).toEqual({ effects: [{ what: 'go-on', count: 1, tasks: ['a'] }], kept: 1 });
  });

  it('is refused where the control is', async () => {
    await api.hand.change(id, { state: 'success' });
    const answer = await api.post(`/runs/${id}/stop`, { dryRun: true });
    expect([answer.status, answer.body.detail]).toEqual([409, 'the run has ended']);
  });
});

describe('a rerun that waits for a slot of a limit', () => {
  let run: number;
  beforeEach(async () => {
    await api.publish('name: one-by-one\nlimit: 1\ntasks: [{name: a, type: shell}]');
    run = (await api.post('/runs', { workflow: 'one-by-one' })).body.id;
    await api.post('/runs', { workflow: 'one-by-one' });
    await api.hand.claim();
    await api.hand.change(run, { state: 'failed', endedAt: START, release: true, limits: { free: true } });
    expect((await api.post(`/runs/${run}/rerun`)).status).toBe(202);
  });
  const actions = async () => {
    const { body } = await api.get(`/runs/${run}`);
    const allowed = body.actions.filter((action: { allowed: boolean }) => action.allowed);
    return { requested: body.requested.length, allowed: allowed.map(({ name }: { name: string }) => name) };
  };

  it('is the only one, whoever asks for another and how', async () => {
    for (const control of ['rerun', 'recover']) {
      const { status, body } = await api.post(`/runs/${run}/${control}`);
      expect([status, body.detail]).toEqual([409, 'a rerun of this run was already requested']);
    }
    const { body } = await api.post('/bulks', { action: 'recover', ids: [run], dryRun: true });
    expect(body.would).toMatchObject({
      allowed: 0,
      refusals: [{ reason: 'a rerun of this run was already requested', count: 1 }],
    });
    expect((await actions()).requested).toBe(1);
  });

  it('is taken back by a stop', async () => {
    expect(await actions()).toEqual({ requested: 1, allowed: expect.arrayContaining(['stop']) });
    const dry = await api.post(`/runs/${run}/stop`, { dryRun: true });
    expect([dry.status, dry.body.would]).toEqual([200, { effects: [], kept: 0 }]);
    expect((await api.post(`/runs/${run}/stop`)).status).toBe(202);
    const { allowed } = await actions();
    expect([allowed.includes('rerun'), allowed.includes('stop')]).toEqual([true, false]);
  });
});
