/** A session that is lost while its entries stay on the server for a while. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { realClock } from '@orrery/core/timing';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startService } from '../../../../scripts/services/lifecycle.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { ZooKeeperStage } from '../testing/zookeeper-stage.ts';

const clock = realClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (handle) => clearTimeout(handle),
});

let proxy: TcpProxy;
beforeEach(async () => {
  const { port } = await startService(zookeeper, join(import.meta.dirname, '../../../../.services'), true);
  proxy = await TcpProxy.to(port);
});
afterEach(async () => {
  await proxy.close();
});

const proxyPort = () => Number(proxy.address.split(':')[1]);

it('elects a leader again after a session that was lost in an election and outlived that on the server', async () => {
  const stage = await ZooKeeperStage.open({ clock, uuid: () => randomUUID() });
  try {
    const hosts = [{ host: '127.0.0.1', port: proxyPort() }];
    const a = await stage.start('10.0.0.1', stage.job({ shards: 4 }), {
      client: { hosts, sessionTimeout: 4_000 },
    });
    await stage.divided(['10.0.0.1'], 4);
    const before = a.runner.instance;
    const leader = () => stage.get('leader/election/instance');
    const client = a.client();
    const { delete: remove } = client;
    client.delete = (path, version) => {
      if (path.includes('/latch/')) {
        proxy.freeze();
        setImmediate(() => client.abandon());
      }
      return remove.call(client, path, version);
    };
    await stage.operator.delete(`${stage.root}/leader/election/instance`);
    await stage.until(() => client.session.state === 'lost');
    expect(await leader()).toBe(before);
    proxy.thaw();
    await stage.until(async () => (await leader()) === a.runner.instance && a.runner.instance !== before);
    await stage.operator.delete(`${stage.root}/leader/election/instance`);
    await stage.until(async () => (await leader()) === a.runner.instance);
    expect((await stage.round(4)).map(({ shard }) => shard).sort()).toEqual([0, 1, 2, 3]);
  } finally {
    await stage.close();
  }
});
