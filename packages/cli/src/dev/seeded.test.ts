/** A data folder that another cluster left behind in the middle of its day: a new one goes on with it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, watchRun } from '@orrery/sdk';
import { seed } from '@orrery/testkit/seed/seed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalNode, startLocalNode } from './local-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'orrery-seeded-'));
let node: LocalNode;

beforeAll(async () => {
  await seed('small', folder, 0);
  node = await startLocalNode({ folder, port: 0, codeFolder: folder, plugins: [], log: () => {} });
}, 120_000);
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});

it('shows what was, and takes up what was open', async () => {
  const client = createClient({ url: node.url });
  const { runs } = await client.listRuns({ limit: 1_000, trigger: ['manual'] });
  expect(runs.length).toBeGreaterThan(10);
  // Asked for in the last moment: its command waits for any master.
  const [last] = runs;
  let state = '';
  for await (const run of watchRun(client, last.id)) state = run.state;
  expect(state).toBe('success');
  // Its owner is silent, so another master takes it over, in which its worker is gone as well.
  const [open] = runs.filter(({ name, state }) => name === 'nightly-cleanup' && state === 'running');
  for await (const run of watchRun(client, open.id)) if (run.owner?.startsWith('local-')) break;
});
