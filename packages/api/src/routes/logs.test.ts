import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '../server.ts';
import { START, type TestApi, testApi } from '../testing.ts';

let api: TestApi;
let id: number;
beforeEach(async () => {
  api = await testApi();
  await api.publish('name: w\ntasks: [{name: say, type: shell}]');
  ({ id } = (await api.post('/runs', { workflow: 'w' })).body);
  await api.hand.claim();
  await api.hand.joinWorker();
  await api.hand.change(id, { state: 'running', startedAt: START });
  await api.hand.enqueue(id, 0);
});
afterEach(async () => {
  expect(api.defects).toEqual([]);
  await api.app.close();
  await api.store.close();
});

const log = (query = '') => api.get(`/attempts/${id}.say.1/log${query}`);
const succeed = () => api.hand.end(id, 0, { state: 'success' }, api.hand.task('success'));

describe('reading a log', () => {
  it('of a queued attempt gives nothing yet', async () => {
    expect((await log()).body).toEqual({
      state: 'queued',
      offset: 0,
      next: 0,
      size: 0,
      done: false,
      source: 'none',
      text: '',
    });
  });

  it('gives pieces by offset and limit, counted in bytes', async () => {
    await api.hand.take();
    api.logs.set(`${id}.0.1`, { text: 'hällo\nworld\n', live: false });
    expect((await log('?limit=7')).body).toMatchObject({
      state: 'assigned',
      text: 'hällo\n',
      next: 7,
      done: false,
    });
    expect((await log('?offset=7')).body).toMatchObject({ text: 'world\n', next: 13, size: 13, done: false });
    await succeed();
    expect((await log('?offset=7')).body).toMatchObject({ state: 'success', text: 'world\n', done: true });
    expect((await log('?offset=99')).body).toMatchObject({ text: '', done: true });
  });

  it('gives the end that was kept when the log is gone', async () => {
    await api.hand.take();
    const outcome = { state: 'failed', error: 'exit 1', logTail: 'last words\n' };
    await api.hand.end(id, 0, outcome, api.hand.task('failed'));
    expect((await log()).body).toMatchObject({ source: 'tail', text: 'last words\n', done: true, size: 11 });
    expect((await log('?offset=5')).body).toMatchObject({ text: 'words\n', next: 11 });
  });

  it.each([
    ['?offset=-1', 400],
    ['?offset=1e9', 400],
    ['?offset=99999999999999999', 400],
    ['?limit=0', 400],
    ['?limit=2000000', 400],
    ['?follow=yes', 400],
    ['?tail=5', 400],
  ])('refuses %s with %i', async (query, status) => {
    expect((await log(query)).status).toBe(status);
  });

  it.each([
    ['1.say', 400],
    ['1.say.0', 400],
    ['..%2f..%2fetc%2fpasswd', 400],
    ['4711.say.1', 404],
  ])('refuses the attempt %s with %i', async (name, status) => {
    expect((await api.get(`/attempts/${name}/log`)).status).toBe(status);
    expect((await api.get(`/attempts/${name}/log?follow=true`)).status).toBe(status);
  });

  it('is not found for an attempt that there was not', async () => {
    const { status, body } = await api.get(`/attempts/${id}.say.2/log`);
    expect([status, body.detail]).toEqual([404, `there is no attempt ${id}.say.2`]);
    expect((await api.get(`/attempts/${id}.say:0.1/log`)).status).toBe(404);
  });
});

describe('following a log', () => {
  it('waits for a worker, streams as it grows, and ends with the attempt', async () => {
    const following = log('?follow=true');
    await api.hand.take();
    const entry = { text: 'one\n', live: true };
    api.logs.set(`${id}.0.1`, entry);
    await new Promise((wake) => setTimeout(wake, 30));
    entry.text += 'two\n';
    await new Promise((wake) => setTimeout(wake, 30));
    entry.text += 'three\n';
    entry.live = false;
    await succeed();
    const { status, body, headers } = await following;
    expect([status, body]).toEqual([200, 'one\ntwo\nthree\n']);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('that cannot be read any more breaks off, and the operator hears of it', async () => {
    await api.hand.take();
    const broken = new Error('the worker is away');
    const logs = {
      ...api.options.logs,
      async *follow() {
        yield { bytes: Buffer.from('one\n'), next: 4, size: 4 };
        throw broken;
      },
    };
    const defects: unknown[] = [];
    const app = createApi({ ...api.options, logs, onDefect: (error) => defects.push(error) });
    const url = `/api/v1/attempts/${id}.say.1/log?follow=true`;
    await expect(app.inject(url)).rejects.toThrow();
    expect(defects).toEqual([broken]);
  });

  it('starts at an offset', async () => {
    await api.hand.take();
    api.logs.set(`${id}.0.1`, { text: 'one\ntwo\n', live: false });
    await succeed();
    expect((await log('?follow=true&offset=4')).body).toBe('two\n');
  });

  it('gives the end that was kept when the log is gone', async () => {
    await api.hand.take();
    await api.hand.end(id, 0, { state: 'failed', logTail: 'last words\n' }, api.hand.task('failed'));
    expect((await log('?follow=true')).body).toBe('last words\n');
  });
});
