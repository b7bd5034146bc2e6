/** Nodes that are started before their database. */
import { testDatabase } from '@orrery/testkit/databases';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownPort } from '../../../../scripts/own-port.ts';
import { TestCluster } from './node-process.ts';

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

/** The address of the database with some of it changed. */
function changed(parts: Partial<URL>): string {
  return Object.assign(new URL(database.url), parts).href;
}

/** A master and an API in one process, not waited for. */
async function launch(url: string) {
  const listen = `127.0.0.1:${await cluster.portOf('m1')}`;
  const port = String(await cluster.portOf('api'));
  const place = ['--name', 'm1', '--listen', listen, '--port', port, '--no-token', '--database', url];
  return cluster.launch('--role', 'master,api', ...place);
}

describe('a node that is started before its database', { timeout: 120_000 }, () => {
  it('waits for it, says so in one line, and starts when it answers', async () => {
    const port = await ownPort();
    const node = await launch(changed({ port: String(port) }));
    await node.says(/warn: waiting for the database: .*ECONNREFUSED/);
    const proxy = await TcpProxy.to(Number(new URL(database.url).port), port);
    try {
      await node.whenReady();
      expect(node.printed).toContain('info: the database answers');
      expect(node.printed.match(/waiting for the database/g)).toHaveLength(1);
      await cluster.call('/nodes');
    } finally {
      await proxy.close();
    }
  });

  it('ends on a signal while it waits', async () => {
    const node = await launch(changed({ port: String(await ownPort()) }));
    await node.says(/waiting for the database/);
    await node.end('SIGTERM');
    expect(node.hasEnded).toBe(true);
  });

  it.each([
    ['the database is missing', { pathname: 'nowhere' }, 'database "nowhere" does not exist'],
    ['the login is refused', { username: 'nobody' }, 'role "nobody" does not exist'],
  ])('ends at once with one line where %s', async (_, parts, reason) => {
    const node = await launch(changed(parts));
    expect(await node.ended()).toBe(1);
    const lines = node.printed.trim().split('\n');
    expect(lines.filter((line) => line.includes(reason))).toHaveLength(1);
    expect(node.printed).not.toContain('waiting for');
    expect(node.printed).not.toMatch(/^\s+at /m);
  });
});
