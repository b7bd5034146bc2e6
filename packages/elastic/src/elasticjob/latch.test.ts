/** The latch when its session ends in the middle of something. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { realClock } from '@orrery/core/timing';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startService } from '../../../../scripts/services/lifecycle.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';
import { inLatch } from './latch.ts';
import { Nodes } from './nodes.ts';

const clock = realClock({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (handle) => clearTimeout(handle),
});

let proxy: TcpProxy;
const opened: Nodes[] = [];
beforeEach(async () => {
  const { port } = await startService(zookeeper, join(import.meta.dirname, '../../../../.services'), true);
  proxy = await TcpProxy.to(port);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((nodes) => nodes.close()));
  await proxy.close();
});

const proxyPort = () => Number(proxy.address.split(':')[1]);

async function open(): Promise<Nodes> {
  const hosts = [{ host: '127.0.0.1', port: proxyPort() }];
  const nodes = await Nodes.open({ hosts, sessionTimeout: 30_000, clock });
  opened.push(nodes);
  return nodes;
}

it('fails when the session ends while the latch is given back, instead of waiting for a connection', async () => {
  const nodes = await open();
  const path = `/latch-${randomUUID()}`;
  const work = inLatch(nodes, path, randomUUID(), async () => {
    proxy.freeze();
    // The request that gives the latch back is under way then.
    setImmediate(() => nodes.client.abandon());
  });
  await expect(work).rejects.toThrow();
});
