import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from './testing/eventually.ts';
import { assignment } from './testing/scripted-master.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { own, start } from './testing/test-worker.ts';

describe('a no-op task', () => {
  it('waits, hands on and fails as told, without a process or a file', async () => {
    const { run, folder, tasks } = await start();
    expect((await run({ with: { outputs: { a: 1, b: ['x'] } } })).outcome.outputs).toEqual({
      a: '1',
      b: '["x"]',
    });
    expect((await run({ with: { fail: true } })).outcome).toMatchObject({
      state: 'failed',
      error: 'told to fail',
    });
    expect((await run({ with: { sleep: 100_000 }, timeout: 50 })).outcome.state).toBe('timed-out');
    expect(tasks()).toEqual([]);
    expect(readdirSync(folder, { recursive: true })).toEqual([
      'logs',
      'spool',
      'work',
      'spool/key',
      'spool/reports.jsonl',
    ]);
  });
});

describe('task types', () => {
  const examples = join(import.meta.dirname, '../../../examples/plugins');

  it('come from plugins in folders as well', async () => {
    const file = join(temporaryFolder(), 'lines.txt');
    writeFileSync(file, 'red apple\ngreen apple\nred pear\n');
    const { run, worker } = await start({ plugins: [join(examples, 'count-lines')] });
    expect(worker.taskTypes.map(({ name }) => name)).toEqual([
      'shell',
      'node',
      'http',
      'noop',
      'count-lines',
    ]);
    expect(worker.taskTypes[4]).toMatchObject({
      title: 'Count lines',
      schema: {
        type: 'object',
        required: ['file'],
        properties: { containing: { type: 'string', default: '' } },
      },
    });
    const counted = await run({ type: 'count-lines', with: { file, containing: 'red' } });
    expect(counted.outcome).toMatchObject({ state: 'success', outputs: { lines: '2' } });
    expect(own(counted.log)).toEqual(['2 of 3 lines']);
    const shard = { run: 900_100, task: 0, shard: 1, number: 1 };
    const part = await run({ type: 'count-lines', with: { file }, attempt: shard, shardCount: 2 });
    expect(part.outcome.outputs).toEqual({ lines: '1' });
    const few = await run({ type: 'count-lines', with: { file, atLeast: 9 } });
    expect(few.outcome).toMatchObject({
      state: 'failed',
      fatal: true,
      error: 'only 3 lines, at least 9 were expected',
    });
    const missing = await run({ type: 'count-lines', with: { file: `${file}x` } });
    expect(missing.outcome).toMatchObject({ state: 'failed', fatal: undefined });
  });

  it('that are unknown fail an attempt for good, with those there are', async () => {
    const { run } = await start();
    expect((await run({ type: 'sparkle' })).outcome).toMatchObject({
      state: 'failed',
      fatal: true,
      error: 'unknown task type "sparkle"; this worker has: shell, node, http, noop',
    });
  });

  it('refuse wrong settings for good, with what is wrong and where', async () => {
    const { run } = await start();
    const { outcome } = await run({ type: 'shell', with: { script: 5, colour: 'red' } });
    expect(outcome).toMatchObject({ state: 'failed', fatal: true });
    expect(outcome.error).toMatch(/with\.script: .*expected string.*; with: Unrecognized key: "colour"/);
  });
});

describe('a restart', () => {
  it('sends what was not acknowledged before, under its own epoch', async () => {
    const folder = temporaryFolder();
    const first = await start({ folder }, 7);
    first.master.manners.acknowledges = false;
    const given = assignment({ with: { outputs: { a: 1 } } });
    first.master.give(given);
    await eventually('reported', () => first.master.reportOf(given.attempt));
    first.master.manners.hello = undefined;
    first.master.cut();
    await first.worker.stop({ grace: 0 });
    const second = await start({ folder });
    const [frame] = await eventually('sent again', () => {
      const frames = second.master.said('report');
      return frames.length > 0 && frames;
    });
    expect(frame).toMatchObject({
      epoch: 7,
      reports: [{ attempt: given.attempt, outcome: { outputs: { a: '1' } } }],
    });
    await eventually('forgotten', () => second.worker.status().unacknowledged === 0);
    expect(readFileSync(join(folder, 'spool/reports.jsonl'), 'utf8')).toBe('');
  });
});

describe('settings', () => {
  it.each([
    [{ name: '' }, /worker name: a worker needs a name/],
    [{ masters: [] }, /worker masters: give the address/],
    [{ slots: 0 }, /worker slots: 0 is not a whole number above 0/],
    [{ killGrace: -1 }, /worker killGrace: -1 is not a number/],
    [{ plugins: ['no-such-package'] }, /plugin no-such-package: not found from/],
  ])('that cannot work are refused: %o', async (settings, message) => {
    await expect(start(settings)).rejects.toThrow(message);
  });
});
