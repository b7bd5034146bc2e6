/** Objects on a real store that speaks the protocol of S3. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from '@orrery/worker/testing/eventually';
import { assignment } from '@orrery/worker/testing/scripted-master';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import { beforeAll, expect, it } from 'vitest';
import { startS3Server, versitygw } from '../testing/s3-server.ts';
import { startTaskWorker } from '../testing/task-worker.ts';

beforeAll(() => {
  versitygw();
}, 10 * 60_000);

async function start() {
  const folder = temporaryFolder();
  const settings = await startS3Server(folder, 'lake');
  const worker = await startTaskWorker({}, { httpAllow: ['127.0.0.1'] });
  const given = (object: string, changes: object = {}, more: object = {}) => ({
    type: 'wait',
    with: { connection: 'store', object, every: 1, ...more },
    connections: { store: { kind: 's3', settings: { ...settings, ...changes } } },
    secrets: [settings.secretKey],
  });
  const put = (key: string, text: string) => {
    mkdirSync(dirname(join(folder, 'lake', key)), { recursive: true });
    writeFileSync(join(folder, 'lake', key), text);
  };
  return { ...worker, settings, given, put };
}

it('waits for an object by its name, or by how its name begins', async () => {
  const { run, master, worker, given, put } = await start();
  const waits = [given("2026/a b'(1)+ü.csv"), given('2026/part-*')].map(assignment);
  master.give(...waits);
  for (const each of waits)
    await eventually('it has looked', async () =>
      /(is not in|no object).* lake/.test(
        (await worker.logs.read(each.workflow, each.attempt)).bytes.toString(),
      ),
    );
  put("2026/a b'(1)+ü.csv", 'x,y');
  put('2026/part-0001', '');
  for (const each of waits) {
    const { outcome } = await eventually('it is met', () => master.reportOf(each.attempt));
    expect(outcome).toMatchObject({ state: 'success', outputs: { met: 'true' } });
  }
  const seen = await run(given("2026/a b'(1)+ü.csv"));
  expect(seen.log).toContain("2026/a b'(1)+ü.csv is in lake, 3 bytes");
  const probe = await run({ ...given('x'), type: 'connection-test', with: { connection: 'store' } });
  expect(probe.outcome.outputs?.server).toMatch(/bucket lake$/);
});

it('fails at once for a wrong key, secret or bucket, and never shows the secret', async () => {
  const { run, given, settings } = await start();
  const wrong: [string, object][] = [
    ['x', { secretKey: 'wrong' }],
    ['x*', { secretKey: 'wrong' }],
    ['x*', { accessKey: 'nobody' }],
    ['x*', { bucket: 'other' }],
  ];
  for (const [object, changes] of wrong) {
    const { outcome, log } = await run(given(object, changes));
    expect(outcome).toMatchObject({ state: 'failed', fatal: true });
    expect(outcome.error).toMatch(/refused bucket "(lake|other)" with (403|404)/);
    expect(JSON.stringify([outcome, log])).not.toContain(settings.secretKey);
  }
});

it('is killed, and keeps to the addresses that the worker may reach', async () => {
  const { killAt, given } = await start();
  const { outcome } = await killAt('x is not in lake', given('x'));
  expect(outcome.state).toBe('killed');
  const closed = await startTaskWorker();
  const refused = await closed.run(given('x', {}, { timeout: 1, onTimeout: 'continue' }));
  expect(refused.outcome).toMatchObject({ state: 'failed', fatal: true });
});
