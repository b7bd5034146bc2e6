/** The client that users import, against a running node; the examples in TypeScript are run as they are. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, createClient, watch, watchRun } from '@orrery/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { orders } from '../../../../examples/typescript/orders.ts';
import { type LocalNode, startLocalNode } from '../dev/local-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-sdk-'));
let node: LocalNode;
let client: Client;

beforeAll(async () => {
  node = await startLocalNode({
    folder,
    port: 0,
    token: 'secret',
    codeFolder: folder,
    plugins: [],
    log: () => {},
  });
  client = createClient({ url: node.url, token: 'secret' });
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});

it('publishes a workflow of TypeScript as it was meant', async () => {
  await client.publishWorkflows({ body: JSON.stringify(orders) });
  const { workflow } = await client.showWorkflow({ project: 'typescript', name: 'orders' });
  expect(workflow.tasks.map(({ name, needs }) => [name, needs])).toEqual([
    ['count', []],
    ['size', ['count']],
    ['in-parts', ['size']],
    ['at-once', ['size']],
    ['check', ['in-parts', 'at-once']],
    ['report', ['check']],
    ['clean-up', ['check', 'size']],
  ]);
});

it('watches a run to its end, from wherever it was', async () => {
  const { id } = await client.startRun({ body: { workflow: orders.ref } });
  const states: string[] = [];
  for await (const { state } of watchRun(client, id)) states.push(state);
  expect(states.at(-1)).toBe('success');
  expect(states.slice(0, -1).every((state) => ['queued', 'waiting', 'running'].includes(state))).toBe(true);
  expect((await client.showRun({ id })).counts).toMatchObject({ success: 5, skipped: 2 });
});

it('hears of what others start, and stops when told', async () => {
  const over = new AbortController();
  let started: number | undefined;
  for await (const update of watch(client, ['runs'], { signal: over.signal })) {
    if (update.kind === 'hello')
      ({ id: started } = await client.startRun({ body: { workflow: orders.ref } }));
    const heard =
      update.kind === 'frame' && update.events.some(({ kind, id }) => kind === 'run' && id === started);
    if (heard) over.abort();
  }
  expect(started).toBeTypeOf('number');
});

it('runs the example that starts and follows a run', async () => {
  const example = join(import.meta.dirname, '..', '..', '..', '..', 'examples', 'typescript', 'run.ts');
  const env = { ...process.env, ORRERY_URL: node.url, ORRERY_TOKEN: 'secret' };
  const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
  expect(stdout).toContain('in-parts: success\n');
  expect(stdout).toMatch(/\nrun \d+: success\n$/);
});

it('is refused in the words of the server', async () => {
  await expect(createClient({ url: node.url }).listRuns()).rejects.toMatchObject({ kind: 'not-signed-in' });
  await expect(client.showRun({ id: 4711 })).rejects.toMatchObject({ status: 404, kind: 'not-found' });
  const refused = client.publishWorkflows({ body: 'name: x\ntasks: []\n' });
  await expect(refused).rejects.toMatchObject({
    kind: 'not-accepted',
    problems: [{ code: 'no-tasks', line: 2 }],
  });
});
