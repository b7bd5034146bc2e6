import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folder, json, orrery, start, until, useServer } from './use-server.ts';

useServer();

describe('logs and why', () => {
  let hello: string;
  beforeAll(async () => {
    hello = String((await json('run', 'hello', '-p', 'name=Eva', '--wait')).id);
  });

  it('prints the last attempt, or another', async () => {
    expect((await orrery('logs', `${hello}.greet`)).out).toContain(
      '\nhello, Eva! Your name has 3 letters.\n',
    );
    expect((await orrery('logs', `${hello}.fetch`)).out).toContain('fetched by attempt 2');
    expect((await orrery('logs', `${hello}.fetch`, '--attempt', '1')).out).toContain('does not answer');
    expect(await json('logs', `${hello}.greet`)).toMatchObject({
      attempt: `${hello}.greet.1`,
      state: 'success',
    });
  });

  it('follows a task run over its attempts, to the end', async () => {
    const path = join(folder, 'again.yaml');
    const script = 'echo try $ORRERY_ATTEMPT; [ $ORRERY_ATTEMPT = 2 ]';
    // The wait is long enough for the command to start on a busy machine.
    const retries = { limit: 1, delay: '8s' };
    const tasks = [{ name: 'again', type: 'shell', retries, with: { script } }];
    writeFileSync(path, JSON.stringify({ name: 'again', tasks }));
    await orrery('apply', '-f', path);
    const id = await start('again');
    const { code, out, err } = await orrery('logs', '-f', `${id}.again`);
    expect(code).toBe(0);
    expect(out).toContain('try 1');
    expect(out).toContain('try 2');
    expect(err).toContain('--- attempt 2 ---');
  });

  it('prints all shards, each line with its number, or one', async () => {
    const { id } = await json('run', 'shards', '--wait');
    const cities = ['beijing', 'shanghai', 'shenzhen'];
    const lines = cities.map((city, k) => expect.stringMatching(new RegExp(`^\\[${k}\\] .*loads ${city}`)));
    for (const follow of [[], ['-f']]) {
      const { code, out } = await orrery('logs', `${id}.load`, ...follow);
      expect(code).toBe(0);
      const printed = out.trimEnd().split('\n');
      expect(printed.every((line) => /^\[[012]\] /.test(line))).toBe(true);
      expect(printed).toEqual(expect.arrayContaining(lines));
    }
    const one = await orrery('logs', `${id}.load`, '--shard', '2');
    expect(one.out).toMatch(/^(?!\[2\]).*loads shenzhen/m);
    expect(one.out).not.toContain('loads beijing');
    const { shards } = await json('logs', `${id}.load`);
    expect(shards).toMatchObject([0, 1, 2].map((shard) => ({ shard, attempt: `${id}.load:${shard}.1` })));
    expect((await orrery('logs', `${id}.load`, '--shard', '3')).err).toContain('it has 0 to 2');
  });

  it.each([
    [['12'], 2],
    [['4711.a'], 2],
  ])('refuses %j with %i', async (args, code) => {
    expect((await orrery('logs', ...args)).code).toBe(code);
  });

  it('refuses an attempt that there was not', async () => {
    const { code, err } = await orrery('logs', `${hello}.greet`, '--attempt', '7');
    expect([code, err]).toEqual([2, `orrery: ${hello}.greet has no attempt 7; it has 1 to 1\n`]);
  });

  it('says why something waits, and how it ended', async () => {
    const id = await start('slow');
    await until(
      () => json('runs', 'show', String(id)),
      ({ tasks }) => tasks[0]?.state === 'running',
    );
    expect((await orrery('why', `${id}.nap`)).out).toMatch(
      new RegExp(`^${id}\\.nap is running for \\d+\\.\\ds: attempt 1 runs on local-\\w+\n$`),
    );
    await orrery('runs', 'stop', String(id));
    await until(
      () => json('runs', 'show', String(id)),
      ({ state }) => state === 'stopped',
    );
    expect((await orrery('why', String(id))).out).toMatch(
      /was stopped, \d+s ago\nto go on: recover or rerun it\n$/,
    );
    expect(await json('why', hello)).toMatchObject({
      id: hello,
      state: 'success',
      why: 'succeeded',
      frees: null,
    });
  });
});
