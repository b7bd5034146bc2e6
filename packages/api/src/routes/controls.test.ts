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
    expect([status, answer]).toEqual([202, { run: id, control }]);
    expect(await inbox()).toEqual([{ type: 'control', control: message, by: 'api' }]);
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
    expect([now.status, now.body.detail]).toEqual([409, 'the task is neither delayed nor waiting to retry']);
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

  it('are refused for a run that does not exist', async () => {
    expect((await api.post('/runs/4711/stop')).status).toBe(404);
  });
});
