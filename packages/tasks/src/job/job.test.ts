/** `job` tasks on a real worker, with a service that runs the job on PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { realClock } from '@orrery/core/timing';
import { startElastic } from '@orrery/elastic';
import { startPostgres } from '@orrery/testkit/databases';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTaskWorker } from '../testing/task-worker.ts';

const clock = realClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (handle) => clearTimeout(handle),
});

/** A service with one job of two shards; ends with the test. */
async function service(run: (context: { shard: number; parameter?: string }) => Promise<void> | void) {
  const url = await startPostgres();
  const namespace = `task-${randomUUID()}`;
  const host = {
    clock,
    id: randomUUID,
    server: '10.0.0.1',
    pid: 1,
    zone: 'UTC',
    log: () => {},
    raise: () => {},
    runCommand: async () => 0,
    fetch,
    openChannel: () => Promise.reject(new Error('no channels here')),
  };
  const jobs = await startElastic({ namespace, url, options: { sessionTimeout: 10_000, clock } }, host);
  onTestFinished(() => jobs.stop(0));
  await jobs.schedule({
    name: 'settle',
    shards: 2,
    onError: 'ignore',
    run: ({ shard, triggerParameter }) => run({ shard, parameter: triggerParameter }),
  });
  const { username, password, host: address, pathname } = new URL(url);
  const settings = {
    url: `postgres://${address}${pathname}`,
    namespace,
    user: username,
    ...(password && { password }),
  };
  const task = (more: object = {}) => ({
    type: 'job',
    with: { connection: 'billing', job: 'settle', ...more },
    connections: { billing: { kind: 'jobs', settings } },
  });
  return { task };
}

describe('a job task', () => {
  it('asks for a round with its parameter and waits for all shards', async () => {
    const ran: string[] = [];
    const { task } = await service(async ({ shard, parameter }) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      ran.push(`${shard} ${parameter}`);
    });
    const { run } = await startTaskWorker();
    const { outcome, log } = await run(task({ parameter: '2026-11-18' }));
    expect(outcome).toMatchObject({ state: 'success', outputs: { succeeded: '2', failed: '0' } });
    expect(ran.sort()).toEqual(['0 2026-11-18', '1 2026-11-18']);
    expect(log).toContain('asked for a round of job settle');
  });

  it('fails with the shards that failed', async () => {
    const { task } = await service(({ shard }) => {
      if (shard === 1) throw new Error('no such city');
    });
    const { run } = await startTaskWorker();
    const { outcome, log } = await run(task());
    expect(outcome).toMatchObject({ state: 'failed', error: '1 shards failed, the first: no such city' });
    expect(log).toContain('shard 1: no such city');
  });

  it('takes up the round that an attempt before it asked for', async () => {
    let rounds = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { task } = await service(({ shard }) => {
      if (shard === 0) rounds++;
      return held;
    });
    const first = await startTaskWorker();
    const attempt = { run: 7, task: 1, shard: 0, number: 1 };
    const same = { ...task(), taskStarted: 1_000 };
    const killed = await first.killAt('asked for a round of job settle', { ...same, attempt });
    expect(killed.outcome.state).toBe('killed');
    const second = await startTaskWorker();
    const running = second.run({ ...same, attempt: { ...attempt, number: 2 } });
    await expect.poll(() => rounds).toBe(1);
    setTimeout(release, 1_000);
    const { outcome, log } = await running;
    expect(log).toContain('waits for the round that attempt 1 asked for');
    expect(outcome.state).toBe('success');
    expect(rounds).toBe(1);
  });

  it('says what is wrong with its settings', async () => {
    const { task } = await service(() => {});
    const { run } = await startTaskWorker();
    expect((await run(task({ job: 'nosuch' }))).outcome).toMatchObject({
      fatal: true,
      error: expect.stringContaining('there is no job nosuch'),
    });
    expect((await run({ ...task(), connections: {} })).outcome).toMatchObject({ fatal: true });
    expect((await run({ ...task(), with: { connection: 'billing' } })).outcome).toMatchObject({
      fatal: true,
      error: expect.stringContaining('with.job'),
    });
    const settings = { url: 'postgres://u:p@h/db', namespace: 'n' };
    const open = { ...task(), connections: { billing: { kind: 'jobs', settings } } };
    expect((await run(open)).outcome).toMatchObject({
      fatal: true,
      error: expect.stringContaining('a registry without credentials'),
    });
  });

  it('has a connection that can be tested', async () => {
    const { task } = await service(() => {});
    const { run } = await startTaskWorker();
    const given = task();
    const probe = (settings: object) =>
      run({
        type: 'connection-test',
        with: { connection: 'billing' },
        connections: {
          billing: { kind: 'jobs', settings: { ...given.connections.billing.settings, ...settings } },
        },
      });
    expect((await probe({})).outcome.outputs?.server).toMatch(/^namespace task-\S+, 1 job$/);
    expect((await probe({ namespace: 'nothing-is-here' })).outcome.outputs?.server).toMatch(/, 0 jobs$/);
  });
});
