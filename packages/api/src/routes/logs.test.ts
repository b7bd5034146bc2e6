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
      worker: null,
      process: null,
      loss: null,
      firstLine: null,
      lines: null,
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

  it('tells the processes of an attempt while it runs', async () => {
    await api.hand.take();
    api.logs.set(`${id}.0.1`, { text: 'x', live: true, process: 4411 });
    expect((await log()).body).toMatchObject({ process: 4411, loss: null });
  });

  describe('that is not there any more', () => {
    const day = 86_400_000;
    const kept = { age: 30 * day, most: 100, removedUntil: 0 };
    const fail = () =>
      api.hand.end(id, 0, { state: 'failed', error: 'exit 1', logTail: 'end\n' }, api.hand.task('failed'));
    beforeEach(() => api.hand.take());

    it('says since when its worker was not seen', async () => {
      await fail();
      expect((await log()).body.loss).toEqual({
        reason: 'worker-gone',
        rule: null,
        seenAt: new Date(START).toISOString(),
      });
    });

    it('says by which rule of the worker it has expired', async () => {
      await fail();
      api.logs.set(`${id}.0.1`, { text: '', live: false, kept });
      expect((await log()).body.loss).toEqual({ reason: 'removed', rule: null, seenAt: null });
      api.logs.set(`${id}.0.1`, { text: '', live: false, kept: { ...kept, removedUntil: api.now } });
      expect((await log()).body.loss).toMatchObject({
        reason: 'expired',
        rule: { setting: 'max-logs', value: 100 },
      });
      api.now += 31 * day;
      expect((await log()).body).toMatchObject({
        source: 'tail',
        text: 'end\n',
        loss: { reason: 'expired', rule: { setting: 'keep-logs', value: 30 * day } },
      });
    });

    it('says nothing of a loss where nothing was printed', async () => {
      await succeed();
      api.logs.set(`${id}.0.1`, { text: '', live: false, kept });
      expect((await log()).body).toMatchObject({ source: 'none', loss: null });
    });
  });

  it.each([
    ['?offset=-1', 400],
    ['?offset=1e9', 400],
    ['?offset=99999999999999999', 400],
    ['?limit=0', 400],
    ['?limit=2000000', 400],
    ['?follow=yes', 400],
    ['?tail=5', 400],
    ['?line=0', 400],
    ['?line=5-', 400],
    ['?line=a', 400],
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

describe('lines of a log', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, k) => `line ${from + k}\n`).join('');
  beforeEach(async () => {
    await api.hand.take();
    api.logs.set(`${id}.0.1`, { text: lines(1, 25_000), live: true });
  });

  it('are given by their numbers', async () => {
    expect((await log('?line=120-122')).body).toMatchObject({
      text: lines(120, 122),
      firstLine: 120,
      lines: 25_000,
      worker: 'w1',
    });
    expect((await log('?line=24999')).body.text).toBe('line 24999\n');
    expect((await log('?line=3000-2999')).body).toMatchObject({
      text: lines(2_999, 3_000),
      firstLine: 2_999,
    });
    expect((await log('?line=1-99999')).body.text).toBe(lines(1, 10_000));
  });

  it('are given from the end, also as the log grows', async () => {
    expect((await log('?line=-2')).body).toMatchObject({ text: lines(24_999, 25_000), firstLine: 24_999 });
    const entry = api.logs.get(`${id}.0.1`);
    if (entry) entry.text += 'half a line';
    const { body } = await log('?line=-2');
    expect(body).toMatchObject({ text: 'line 25000\nhalf a line', firstLine: 25_000, lines: 25_001 });
  });

  it('beyond the end are none', async () => {
    expect((await log('?line=30000')).body).toMatchObject({ text: '', lines: 25_000 });
  });

  it('are those of the end that was kept when the log is gone', async () => {
    api.logs.delete(`${id}.0.1`);
    await api.hand.end(id, 0, { state: 'failed', logTail: 'a\nb\nc\n' }, api.hand.task('failed'));
    expect((await log('?line=2-3')).body).toMatchObject({ source: 'tail', text: 'b\nc\n', lines: 3 });
  });

  it('can be downloaded with all the others', async () => {
    const { status, headers, body } = await log('?download=true');
    expect([status, body]).toEqual([200, lines(1, 25_000)]);
    expect(headers['content-disposition']).toBe(`attachment; filename="${id}.say.1.log"`);
  });
});

describe('searching a log', () => {
  const search = (query: string) => api.get(`/attempts/${id}.say.1/log/search?${query}`);
  const text = Array.from({ length: 60_000 }, (_, k) =>
    k % 20_000 === 7 ? `${k} ERROR connection refused: dé-${k}` : `${k} INFO fine`,
  ).join('\n');
  beforeEach(async () => {
    await api.hand.take();
    api.logs.set(`${id}.0.1`, { text, live: false });
  });
  const offsetOf = (line: string) => Buffer.byteLength(text.slice(0, text.indexOf(line)));

  it('finds a text with its lines and offsets, page by page', async () => {
    const { body } = await search('q=connection&limit=2');
    expect(body.hits).toEqual([
      { line: 8, offset: offsetOf('7 ERROR'), from: 8, to: 18, text: '7 ERROR connection refused: dé-7' },
      {
        line: 20_008,
        offset: offsetOf('20007 ERROR'),
        from: 12,
        to: 22,
        text: '20007 ERROR connection refused: dé-20007',
      },
    ]);
    const rest = (await api.get(body.next.replace('/api/v1', ''))).body;
    expect(rest.hits).toMatchObject([{ line: 40_008, offset: offsetOf('40007 ERROR') }]);
    expect(rest).toMatchObject({ next: null, source: 'log', looked: Buffer.byteLength(text) });
  });

  it('takes capital letters as they are unless told otherwise', async () => {
    expect((await search('q=error')).body.hits).toEqual([]);
    expect((await search('q=error&ignoreCase=true')).body.hits).toHaveLength(3);
  });

  it('finds what matches a regular expression', async () => {
    const { body } = await search(`q=${encodeURIComponent('^4\\d+ ERROR .*-(\\d+)$')}&regex=true`);
    expect(body.hits).toMatchObject([{ line: 40_008, from: 0 }]);
    const ignored = await search(`q=error%20con&regex=true&ignoreCase=true&limit=1`);
    expect(ignored.body.hits).toHaveLength(1);
  });

  it('refuses what is no regular expression, and one that does not come to an end', async () => {
    const bad = await search('q=%28&regex=true');
    expect([bad.status, bad.body.detail]).toEqual([
      400,
      expect.stringContaining('is not a regular expression'),
    ]);
    api.logs.set(`${id}.0.1`, { text: `${'a'.repeat(40)}!\n`, live: false });
    const slow = await search(`q=${encodeURIComponent('^(a+)+$')}&regex=true`);
    expect([slow.status, slow.body.detail]).toEqual([400, expect.stringContaining('takes too long')]);
  });

  it('looks for so many regular expressions at once, and refuses others for a moment', async () => {
    const query = 'q=fine&regex=true&limit=1';
    const answers = await Promise.all(Array.from({ length: 20 }, () => search(query)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0].body.detail).toContain('try again');
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await search(query)).status).toBe(200);
  });

  it('shows of a long line the part around the hit', async () => {
    const long = `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}`;
    api.logs.set(`${id}.0.1`, { text: long, live: false });
    const [hit] = (await search('q=needle')).body.hits;
    expect(hit.text).toHaveLength(1_000);
    expect(hit.text.slice(hit.from, hit.to)).toBe('needle');
  });

  it('finds nothing where nothing was written', async () => {
    api.logs.delete(`${id}.0.1`);
    expect((await search('q=x')).body).toEqual({ hits: [], size: 0, looked: 0, source: 'none', next: null });
  });
});
