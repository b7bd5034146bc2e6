import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Node, startNode } from './node.ts';
import type { NodeOptions } from './options.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-cut-'));
const go = join(folder, 'go');
const begun = join(folder, 'begun');
const said: string[] = [];
const common = {
  network: { token: 'hush', timeout: 600 },
  codeFolder: folder,
  plugins: [],
  dev: false,
  log: (_: string, text: string) => said.push(text),
} satisfies Partial<NodeOptions>;
const here = { host: '127.0.0.1', port: 0 };
let server: Node;
let worker: Node;
let proxy: TcpProxy;

beforeAll(async () => {
  server = await startNode({
    ...common,
    roles: ['master', 'api'],
    name: 'm1',
    folder: join(folder, 'm1'),
    listen: here,
    port: 0,
    join: [],
  });
  const [, port] = /:(\d+)$/.exec(server.about[0]) ?? [];
  proxy = await TcpProxy.to(Number(port));
  worker = await startNode({
    ...common,
    roles: ['worker'],
    name: 'w1',
    folder: join(folder, 'w1'),
    join: [proxy.address],
    logListen: here,
  });
  await worker.ready;
});
afterAll(async () => {
  await worker?.stop();
  await server?.stop();
  await proxy?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function call(path: string, body?: string, type = 'application/json') {
  const init = body === undefined ? {} : { method: 'POST', headers: { 'content-type': type }, body };
  return (await (await fetch(`${server.url}/api/v1${path}`, init)).json()) as {
    id: number;
    state: string;
    text: string;
  };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

describe('a worker whose connection goes silent', () => {
  it('connects again in the same life; what it runs goes on and is reported once', async () => {
    await call(
      '/workflows',
      `name: held\ntasks: [{ name: wait, type: shell, with: { script: 'touch ${begun}; while [ ! -e ${go} ]; do sleep 0.1; done; echo over' } }]`,
      'application/yaml',
    );
    const { id } = await call('/runs', '{"workflow":"held"}');
    await until(() => existsSync(begun));
    const welcomes = () => said.filter((text) => text.includes('with epoch 1')).length;
    const before = welcomes();
    proxy.freeze();
    await until(() => welcomes() > before);
    writeFileSync(go, '');
    await until(async () => (await call(`/runs/${id}`)).state === 'success');
    expect((await call(`/attempts/${id}.wait.1/log`)).text).toContain('over');
    expect(said.join('\n')).not.toContain('epoch 2');
  });
});
