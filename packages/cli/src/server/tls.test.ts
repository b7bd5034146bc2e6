import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { testDatabase } from '@orrery/testkit/databases';
import { connectMaster, type Tls } from '@orrery/wire/network';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeProcess, TestCluster } from './node-process.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/operate/cluster.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'orrery-tls-'));
const pem = (name: string) => join(folder, `${name}.pem`);
const own = ['--tls-cert', pem('node'), '--tls-key', pem('node-key')];
let database: Awaited<ReturnType<typeof testDatabase>>;
let cluster: TestCluster;

beforeAll(async () => {
  const recipe = /<!-- certificates -->\n```sh\n(.*?)```/s.exec(page)?.[1] ?? 'exit 1';
  const { status, stderr } = spawnSync('sh', ['-ec', recipe], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`the recipe of the documentation fails: ${stderr}`);
  database = await testDatabase();
  cluster = new TestCluster(database.url, '--join-token', 'hush', '--tls-ca', pem('ca'));
});
afterAll(async () => {
  await cluster.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** Why a connection to the master was refused. */
async function refusal(tls: Tls | undefined, master = 'm1'): Promise<string> {
  const address = `127.0.0.1:${await cluster.portOf(master)}`;
  const channel = connectMaster(address, { timeout: 20_000, token: master === 'm1' ? 'hush' : 'wrong', tls });
  return new Promise((resolve) => channel.onClose(resolve));
}

describe('a cluster with the certificates of the documentation', () => {
  it('runs workflows and reads logs over TLS, and talks to nobody without it', {
    timeout: 120_000,
  }, async () => {
    const listen = `127.0.0.1:${await cluster.portOf('m1')}`;
    await cluster.start(
      '--role',
      'master',
      '--name',
      'm1',
      '--database',
      database.url,
      '--listen',
      listen,
      ...own,
    );
    await cluster.start('--role', 'worker', '--name', 'w1', '--join', listen, ...own);
    await cluster.api();
    await cluster.publish(
      'name: say\ntasks: [{ name: say, type: shell, with: { script: "echo over TLS" } }]',
    );
    const run = await cluster.run('say');
    expect(await cluster.endOf(run)).toBe('success');
    expect((await cluster.log(`${run}.say.1`, () => true)).text).toContain('over TLS');

    expect(await refusal(undefined)).not.toBe('');
    expect(await refusal({ ca: rootCertificates[0] })).toContain('certificate');
  });

  it('can refuse callers without a certificate, before they show a token', { timeout: 120_000 }, async () => {
    const listen = `127.0.0.1:${await cluster.portOf('m2')}`;
    await cluster.start(
      ...['--role', 'master', '--name', 'm2', '--database', database.url, '--listen', listen],
      ...[...own, '--tls-verify-clients'],
    );
    const read = (name: string) => readFileSync(pem(name), 'utf8');
    const ca = read('ca');
    expect(await refusal({ ca }, 'm2')).not.toContain('join token');
    expect(await refusal({ ca, own: { cert: read('node'), key: read('node-key') } }, 'm2')).toContain(
      'the join token is missing or wrong',
    );
  });

  it('refuses to serve others without a certificate', async () => {
    const worker = new NodeProcess(['--role', 'worker', '--join', 'm1:7071', '--tls-ca', pem('ca')]);
    expect(await worker.ended()).toBe(2);
    expect(worker.printed).toContain('with --tls-ca they need --tls-cert and --tls-key too');
  });
});
