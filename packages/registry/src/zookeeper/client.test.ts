import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { OwnServer } from '../testing/servers.ts';
import {
  CREATOR_ALL_ACL,
  OPEN_ACL,
  ZooKeeperClient,
  type ZooKeeperEvent,
  type ZooKeeperOptions,
} from './index.ts';

const server = new OwnServer(zookeeper);
const opened: ZooKeeperClient[] = [];
let hosts: { host: string; port: number }[] = [];
beforeAll(async () => {
  hosts = [{ host: '127.0.0.1', port: await server.start() }];
});
afterEach(() => Promise.all(opened.splice(0).map((client) => client.close())));
afterAll(() => server.remove());

async function connect(options: Partial<ZooKeeperOptions> = {}): Promise<ZooKeeperClient> {
  const client = await ZooKeeperClient.connect({ hosts, sessionTimeout: 30_000, ...options });
  opened.push(client);
  return client;
}
const text = (value: string) => Buffer.from(value);

describe('the ZooKeeper client', () => {
  it('creates nodes of every mode with their exact stat', async () => {
    const client = await connect();
    const before = Date.now() - 60_000;
    const root = await client.create('/modes', text('x'));
    expect(root.stat).toMatchObject({ version: 0, cversion: 0, aversion: 0, dataLength: 1, numChildren: 0 });
    expect(root.stat.ephemeralOwner).toBe(0n);
    expect(root.stat.mtime).toBeGreaterThan(before);
    expect(root.stat.czxid).toBe(root.stat.mzxid);
    const own = await client.create('/modes/e', text(''), 'ephemeral');
    expect(own.stat.ephemeralOwner).toBe(client.identity.id);
    const first = await client.create('/modes/s-', text(''), 'persistent-sequential');
    const second = await client.create('/modes/s-', text(''), 'ephemeral-sequential');
    expect([first.path, second.path]).toEqual(['/modes/s-0000000001', '/modes/s-0000000002']);
    expect(second.stat.czxid).toBeGreaterThan(first.stat.czxid);
    expect((await client.create('/modes/c', text(''), 'container')).path).toBe('/modes/c');
    expect(await client.countBelow('/modes')).toBe(4);
    expect((await client.getEphemerals('/modes')).sort()).toEqual(['/modes/e', '/modes/s-0000000002']);
    const children = await client.getChildren('/modes');
    expect(children?.names.sort()).toEqual(['c', 'e', 's-0000000001', 's-0000000002']);
    expect(children?.stat).toMatchObject({ cversion: 4, numChildren: 4 });
    expect([
      await client.exists('/no'),
      await client.getData('/no'),
      await client.getChildren('/no'),
    ]).toEqual([undefined, undefined, undefined]);
  });

  it('makes a multi as one transaction, and tells which operation failed', async () => {
    const client = await connect();
    await client.ensure('/multi/a');
    const results = await client.multi([
      { op: 'check', path: '/multi/a', version: 0 },
      { op: 'create', path: '/multi/b', data: text('1') },
      { op: 'create', path: '/multi/b/s-', data: text('2'), mode: 'ephemeral-sequential' },
      { op: 'set', path: '/multi/a', data: text('3') },
    ]);
    expect(results.map(({ path }) => path)).toEqual([
      undefined,
      '/multi/b',
      '/multi/b/s-0000000000',
      undefined,
    ]);
    expect((await client.exists('/multi/b'))?.czxid).toBe(results[1].zxid);
    expect(results[3].stat?.mzxid).toBe(results[3].zxid);
    const refused = client.multi([
      { op: 'delete', path: '/multi/a' },
      { op: 'check', path: '/multi/b', version: 9 },
      { op: 'create', path: '/multi/d', data: text('') },
    ]);
    await expect(refused).rejects.toMatchObject({ code: 'BAD_VERSION', step: 1, path: '/multi/b' });
    expect(await client.exists('/multi/a')).toBeDefined();
    const many = Array.from({ length: 2_000 }, (_, k) => ({
      op: 'create' as const,
      path: `/multi/a/${k}`,
      data: text(''),
    }));
    expect(await client.multi(many)).toHaveLength(2_000);
  });

  it('continues a session with its id and password, and is refused with another password', async () => {
    const client = await connect();
    await client.create('/resumed', text(''), 'ephemeral');
    const { identity } = client;
    client.abandon();
    const wrong = { id: identity.id, password: Buffer.alloc(16, 7) };
    await expect(connect({ resume: wrong })).rejects.toThrow(/let nobody in: expired/);
    const again = await connect({ resume: identity });
    expect(again.identity.id).toBe(identity.id);
    expect((await again.exists('/resumed'))?.ephemeralOwner).toBe(identity.id);
    await again.close();
    expect(await (await connect()).exists('/resumed')).toBeUndefined();
  });

  it('keeps nodes to those with the credentials of their creator', async () => {
    const auth = [{ scheme: 'digest', auth: 'ann:s3cret' }];
    const ann = await connect({ auth });
    const bob = await connect();
    await ann.create('/private', text('x'), 'persistent', CREATOR_ALL_ACL);
    const digest = createHash('sha1').update('ann:s3cret').digest('base64');
    expect((await ann.getAcl('/private')).acl).toEqual([
      { perms: 31, scheme: 'digest', id: `ann:${digest}` },
    ]);
    await expect(bob.getData('/private')).rejects.toMatchObject({ code: 'NO_AUTH' });
    await expect(bob.create('/p', text(''), 'persistent', CREATOR_ALL_ACL)).rejects.toMatchObject({
      code: 'INVALID_ACL',
    });
    await bob.addAuth(auth[0]);
    expect((await bob.getData('/private'))?.data.toString()).toBe('x');
    await ann.setAcl('/private', OPEN_ACL);
    expect((await (await connect()).getData('/private'))?.stat.aversion).toBe(1);
  });

  it('watches one path in both modes at once, below a chroot', async () => {
    const other = await connect();
    await other.ensure('/root/w');
    const client = await connect({ chroot: '/root' });
    const seen: Record<string, ZooKeeperEvent[]> = { recursive: [], persistent: [] };
    await client.watch('/w', 'recursive', (event) => seen.recursive.push(event));
    const stop = await client.watch('/w', 'persistent', (event) => seen.persistent.push(event));
    await other.create('/root/w/a', text(''));
    await other.setData('/root/w/a', text('x'));
    await other.setData('/root/w', text('x'));
    await expect
      .poll(() => seen.recursive)
      .toEqual([
        { type: 'created', path: '/w/a' },
        { type: 'changed', path: '/w/a' },
        { type: 'changed', path: '/w' },
      ]);
    expect(seen.persistent).toEqual([
      { type: 'children', path: '/w' },
      { type: 'changed', path: '/w' },
    ]);
    stop();
    await other.delete('/root/w/a');
    await expect.poll(() => seen.recursive.at(-1)).toEqual({ type: 'deleted', path: '/w/a' });
    expect(seen.persistent).toHaveLength(2);
  });

  it('goes to the next server when one does not answer, and says why when none does', async () => {
    const dead = { host: '127.0.0.1', port: 1 };
    const client = await connect({ hosts: [dead, ...hosts], random: () => 0 });
    expect(client.address).toBe(`127.0.0.1:${hosts[0].port}`);
    await expect(connect({ hosts: [dead], connectTimeout: 300 })).rejects.toThrow(
      /^ZooKeeper at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/,
    );
  });

  it('asks for a timeout and takes what the server gives', async () => {
    expect((await connect({ sessionTimeout: 1 })).session.timeout).toBe(400);
  });
});
