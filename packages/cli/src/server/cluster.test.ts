import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDatabase } from '@orrery/testkit/databases';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';
import { NodeProcess, TestCluster } from './node-process.ts';

const examples = join(import.meta.dirname, '../../../../examples');
const hello = readFileSync(join(examples, 'hello.yaml'), 'utf8');
const plugin = join(examples, 'plugins/count-lines');
const long = { timeout: 180_000 };

/** A task that lasts until a file is there, so that a test can do something meanwhile. */
const waiting = (name: string, file: string, after = '') => `
name: ${name}
tasks:
  - name: wait
    type: shell
    with: { script: 'echo begun; while [ ! -e ${file} ]; do sleep 0.1; done; echo over; ${after}' }
  - { name: then, type: noop, needs: wait }
`;

let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;

beforeEach(async () => {
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush');
});
afterEach(async () => {
  await cluster.stop();
  await database.drop();
});

describe('a master, a worker and an API as processes of their own', () => {
  it('run the sample, and go on when any of them is killed and started again', long, async () => {
    const first = {
      master: await cluster.master('m1'),
      worker: await cluster.worker('w1', 'm1'),
      api: await cluster.api(),
    };
    await cluster.publish(hello);
    expect(await cluster.endOf(await cluster.run('hello'))).toBe('success');

    const file = join(cluster.folder, 'go');
    await cluster.publish(waiting('held', file));
    const run = await cluster.run('held');
    await cluster.log(`${run}.wait.1`, ({ text }) => text.includes('begun'));

    await first.api.end('SIGKILL');
    await cluster.api();
    await first.master.end('SIGKILL');
    await cluster.master('m1');
    // What a worker runs goes on without masters; a worker that is gone has lost it, and it is tried again.
    expect((await cluster.log(`${run}.wait.1`, () => true)).text).not.toContain('over');
    await first.worker.end('SIGKILL');
    await cluster.worker('w1', 'm1');
    await cluster.log(`${run}.wait.2`, ({ text }) => text.includes('begun'));
    writeFileSync(file, '');
    expect(await cluster.endOf(run)).toBe('success');
    expect(await cluster.endOf(await cluster.run('hello'))).toBe('success');
  });

  it('need no PostgreSQL where master and API are one process', long, async () => {
    const listen = `127.0.0.1:${await cluster.portOf('m1')}`;
    const port = String(await cluster.portOf('api'));
    const api = ['--no-token', '--port', port];
    await cluster.start('--role', 'master,api', '--name', 'm1', '--listen', listen, ...api);
    const worker = await cluster.start(
      '--role',
      'worker',
      '--name',
      'w1',
      '--join',
      listen,
      '--plugin',
      plugin,
    );
    expect(worker.printed).toMatch(/connections that tasks can use: all .*oracle \(npm install oracledb\)/);
    await cluster.publish(hello);
    const run = await cluster.run('hello');
    // The worker alone was given the plugin, and has told the API of it.
    await cluster.publish(
      `name: count\ntasks: [{ name: lines, type: count-lines, with: { file: ${join(plugin, 'index.ts')} } }]`,
    );
    expect(await cluster.endOf(await cluster.run('count'))).toBe('success');
    expect(await cluster.endOf(run)).toBe('success');
    expect((await cluster.log(`${run}.greet.1`, () => true)).text).toContain('hello, world!');
  });

  it('keep the end of a failed log when the worker is gone', long, async () => {
    await cluster.master('m1');
    const worker = await cluster.worker('w1', 'm1');
    await cluster.api();
    await cluster.publish(
      'name: broken\ntasks: [{ name: fail, type: shell, with: { script: "echo last words; exit 3" } }]',
    );
    const run = await cluster.run('broken');
    expect(await cluster.endOf(run)).toBe('failed');
    expect(await cluster.log(`${run}.fail.1`, () => true)).toMatchObject({
      source: 'log',
      text: expect.stringContaining('last words'),
    });
    await worker.end('SIGKILL');
    expect(await cluster.log(`${run}.fail.1`, () => true)).toMatchObject({
      source: 'tail',
      text: expect.stringContaining('last words'),
    });
  });

  it('are listed, and gone at once when they leave in order', long, async () => {
    const master = await cluster.master('m1');
    const worker = await cluster.worker('w1', 'm1');
    await cluster.api();
    const url = await cluster.url();
    const list = async () => {
      const { masters, workers } = JSON.parse((await orrery(['nodes', 'list', '--json', '--url', url])).out);
      return [...masters, ...workers].map(({ id, state }) => `${id} ${state}`).sort();
    };
    expect(await list()).toEqual(['api alive', 'm1 alive', 'w1 alive']);
    expect(await worker.end('SIGTERM')).toBe(0);
    expect(await list()).toEqual(['api alive', 'm1 alive', 'w1 gone']);
    expect(await master.end('SIGTERM')).toBe(0);
    expect(await list()).toEqual(['api alive', 'm1 gone', 'w1 gone']);
  });
});

describe('two masters and two workers', () => {
  it('go on when a master is killed, and its worker finds the other by itself', long, async () => {
    const first = await cluster.master('m1');
    await cluster.master('m2');
    // Each knows one master only, and learns of the other.
    await cluster.worker('w1', 'm1');
    await cluster.worker('w2', 'm2');
    await cluster.api();
    const file = join(cluster.folder, 'go');
    await cluster.publish(waiting('held', file));
    const runs = await Promise.all(Array.from({ length: 12 }, () => cluster.run('held')));
    for (const run of runs) await cluster.log(`${run}.wait.1`, ({ text }) => text.includes('begun'));
    await first.end('SIGKILL');
    writeFileSync(file, '');
    for (const run of runs) expect(await cluster.endOf(run)).toBe('success');
    // Nothing was lost or tried again.
    for (const run of runs)
      await expect(cluster.call(`/attempts/${run}.wait.2/log`)).rejects.toThrow('there is no attempt');
  });
});

describe('a master that was frozen for too long', () => {
  const stateOf = async (name: string) => {
    const { masters } = (await cluster.call('/nodes')) as { masters: { id: string; state: string }[] };
    return masters.find(({ id }) => id === name)?.state;
  };

  it('joins again with a new epoch when it wakes up: another has its runs', long, async () => {
    const first = await cluster.master('m1');
    await cluster.master('m2');
    await cluster.api();
    first.freeze(true);
    while ((await stateOf('m1')) !== 'gone') await sleep(200);
    first.freeze(false);
    await first.says(/master m1 joins again/);
    while ((await stateOf('m1')) !== 'alive') await sleep(200);
    expect(first.hasEnded).toBe(false);
  });

  it('ends when it wakes up and says so where no registry judges', long, async () => {
    const first = await cluster.master('m1', '--registry', 'none');
    await cluster.master('m2', '--registry', 'none');
    await cluster.api();
    first.freeze(true);
    while ((await stateOf('m1')) !== 'gone') await sleep(200);
    first.freeze(false);
    expect(await first.ended()).toBe(1);
    expect(first.printed).toMatch(/stopping: .*m1/);
  });
});

describe('a worker', () => {
  it('cannot be driven out by another process with its name', long, async () => {
    await cluster.master('m1');
    const older = await cluster.worker('w1', 'm1');
    const listen = `127.0.0.1:${await cluster.portOf('m1')}`;
    const newer = new NodeProcess([
      ...['--role', 'worker', '--name', 'w1', '--join', listen, '--join-token', 'hush'],
      ...['--data', join(cluster.folder, 'other')],
    ]);
    expect(await newer.ended()).toBe(1);
    expect(newer.printed).toContain('another process is worker w1; give each worker a name of its own');
    expect(older.hasEnded).toBe(false);
  });

  it('joins by invitation under its name and for its groups alone, until that is revoked', long, async () => {
    await cluster.master('m1');
    await cluster.api();
    const made = await cluster.call('/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ worker: 'w7', groups: ['gpu'] }),
    });
    const { token } = made as { token: string };
    const file = join(cluster.folder, 'invitation');
    writeFileSync(file, token, { mode: 0o600 });
    const listen = `127.0.0.1:${await cluster.portOf('m1')}`;
    const worker = (name: string, group: string) => [
      ...['--role', 'worker', '--name', name, '--group', group, '--join', listen],
      ...['--join-token-file', file, '--data', join(cluster.folder, `${name}-${group}`)],
    ];
    const greedy = new NodeProcess(worker('w7', 'default'));
    expect(await greedy.ended()).toBe(1);
    expect(greedy.printed).toContain('worker w7 is invited to serve gpu, and not default');
    const other = new NodeProcess(worker('w8', 'gpu'));
    expect(await other.ended()).toBe(1);
    expect(other.printed).toContain('this invitation is for worker w7, and not for w8');
    const invited = await NodeProcess.start(...worker('w7', 'gpu'));
    await cluster.publish(
      'name: on-gpu\ntasks: [{ name: say, type: shell, workerGroup: gpu, with: { script: "echo invited" } }]',
    );
    const run = await cluster.run('on-gpu');
    expect(await cluster.endOf(run)).toBe('success');
    // The api reads its log although the two share no token.
    expect((await cluster.log(`${run}.say.1`, () => true)).text).toContain('invited');
    await cluster.call('/invitations/w7', { method: 'DELETE' });
    await invited.says(/worker w7 was silent for too long and counts as lost/);
    await invited.says(/the join token is missing or wrong/);
    expect(await invited.end('SIGTERM')).toBe(0);
  });

  it('with the wrong join token is told so and stays outside', long, async () => {
    await cluster.master('m1');
    const listen = `127.0.0.1:${await cluster.portOf('m1')}`;
    const args = ['--role', 'worker', '--name', 'w1', '--join', listen, '--data', join(cluster.folder, 'w1')];
    const stranger = new NodeProcess(args, { ORRERY_JOIN_TOKEN: 'guess' });
    await stranger.says(/the join token is missing or wrong/);
    expect(stranger.printed).not.toContain('orrery is ready');
    expect(await stranger.end('SIGTERM')).toBe(0);
  });
});
