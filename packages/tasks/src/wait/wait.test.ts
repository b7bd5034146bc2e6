/** `wait` tasks on a real worker. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startPostgres } from '@orrery/testkit/databases';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTaskWorker } from '../testing/task-worker.ts';

const wait = (settings: object, more: object = {}) => ({
  type: 'wait',
  with: { every: 1, ...settings },
  ...more,
});
const logOf = async (
  worker: Awaited<ReturnType<typeof startTaskWorker>>,
  given: ReturnType<typeof assignment>,
) => (await worker.worker.logs.read(given.workflow, given.attempt)).bytes.toString();

describe('a wait', () => {
  it('takes no slot: one slot does other work meanwhile', async () => {
    const worker = await startTaskWorker({ slots: 1 });
    const waits = [1, 2, 3].map(() => assignment(wait({ file: 'there' })));
    worker.master.give(...waits);
    for (const each of waits)
      await eventually('it waits', async () => (await logOf(worker, each)).includes('is not there'));
    expect((await worker.run({ type: 'noop', with: {} })).outcome.state).toBe('success');
    expect(worker.master.said('take').at(-1)).toMatchObject({ room: 1, waiting: 3 });
    writeFileSync(join(worker.codeFolder, 'there'), 'x');
    for (const { attempt } of waits) {
      const { outcome } = await eventually('met', () => worker.master.reportOf(attempt));
      expect(outcome).toMatchObject({ state: 'success', outputs: { met: 'true' } });
    }
  });

  it('ends when it is killed, and is handed back by a worker that stops', async () => {
    const worker = await startTaskWorker();
    const killed = await worker.killAt(`${worker.codeFolder}/a is not there`, wait({ file: 'a' }));
    expect(killed.outcome.state).toBe('killed');
    const given = assignment(wait({ file: 'b' }));
    worker.master.give(given);
    await eventually('it waits', async () => (await logOf(worker, given)).includes('is not there'));
    await worker.worker.stop({ grace: 600_000 });
    expect(worker.master.reportOf(given.attempt)?.outcome).toMatchObject({ state: 'withdrawn' });
  });

  it('gives up after its time, counted from the start of the task: hard or soft', async () => {
    const { run } = await startTaskWorker();
    const late = { taskStarted: Date.now() - 3_600_000 };
    const hard = await run(wait({ file: 'a', timeout: '30m' }, late));
    expect(hard.outcome).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^not met within 1800000 ms: /),
    });
    const soft = await run(wait({ file: 'a', timeout: '30m', onTimeout: 'continue' }, late));
    expect(soft.outcome).toMatchObject({ state: 'success', outputs: { met: 'false' } });
    const time = await run(wait({ until: new Date(Date.now() + 300).toISOString() }));
    expect(time.outcome).toMatchObject({ state: 'success', outputs: { met: 'true' } });
  });

  it('looks at answers and ports, where the operator of the worker allows it', async () => {
    const answers = [503, 200, 200];
    const server = createServer((_, response) => {
      response.statusCode = answers.shift() ?? 200;
      response.end(answers.length > 0 ? 'not yet' : 'ready');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { run } = await startTaskWorker({}, { httpAllow: ['127.0.0.1'] });
    const url = `http://127.0.0.1:${port}/`;
    const met = await run(wait({ url, contains: 'ready', slowest: 1 }));
    expect(met.outcome).toMatchObject({ state: 'success', outputs: { met: 'true' } });
    expect(met.log).toContain('answered with 503; expected 200');
    expect((await run(wait({ port, host: '127.0.0.1' }))).outcome.state).toBe('success');
    const strict = await startTaskWorker();
    for (const refused of [wait({ url }), wait({ port, host: '127.0.0.1' })])
      expect((await strict.run(refused)).outcome).toMatchObject({
        fatal: true,
        error: expect.stringContaining('ORRERY_HTTP_ALLOW'),
      });
  });

  it('looks for a row, with bound parameters; a fault of the server is only "not yet"', async () => {
    const { hostname, port, username, pathname } = new URL(await startPostgres());
    const settings = { host: hostname, port: Number(port), database: pathname.slice(1), user: username };
    const row = (sql: string, changes: object = {}) =>
      wait(
        { connection: 'db', sql, timeout: 1 },
        {
          connections: { db: { kind: 'postgresql', settings: { ...settings, ...changes } } },
          params: { n: '2' },
        },
      );
    const { run } = await startTaskWorker();
    expect((await run(row('SELECT 1 WHERE 1 < ${n}::int'))).outcome.state).toBe('success');
    expect((await run(row('SELECT 1 WHERE 3 < ${n}::int'))).outcome.error).toMatch(
      /the query returned no row$/,
    );
    expect((await run(row('SELECT 1', { port: 1 }))).outcome.error).toMatch(
      /not met within .*cannot connect/,
    );
  });

  it('says what is wrong with its settings', async () => {
    const { run } = await startTaskWorker();
    for (const [settings, error] of [
      [{}, /give one of file, url, port, sql, object, until/],
      [{ file: 'a', port: 1 }, /give one of/],
      [{ sql: 'SELECT 1' }, /need a connection/],
      [{ file: 'a', every: 'soon' }, /with\.every: /],
      [{ url: 'file:///etc/passwd' }, /with\.url: /],
    ] as const)
      expect((await run(wait(settings))).outcome).toMatchObject({
        fatal: true,
        error: expect.stringMatching(error),
      });
  });
});
