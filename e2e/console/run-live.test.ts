/** What comes to the page of a run while it is open: shards. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './harness/axe.ts';
import { useBrowser } from './harness/browser.ts';
import { picture } from './harness/pictures.ts';
import { Server } from './harness/server.ts';

let server: Server;
let signals: string;
const browsing = useBrowser();
const until = (name: string, then = 'true') =>
  `with: { script: ${JSON.stringify(`while [ ! -f "${signals}/${name}" ]; do sleep 0.1; done; ${then}`)} }`;
const signal = (name: string) => writeFile(join(signals, name), '');
beforeAll(async () => {
  signals = await mkdtemp(join(tmpdir(), 'orrery-signals-'));
  server = await Server.start('--slots', '8');
  await server.publish(`
name: parts
project: etl
tasks:
  - { name: gate, type: shell, ${until('gate')} }
  - { name: load, type: shell, needs: [gate], shards: 4, ${until('$ORRERY_SHARD', 'test "$ORRERY_SHARD" != 1')} }
`);
});
afterAll(async () => {
  await server?.stop();
  await rm(signals, { recursive: true, force: true });
});

describe('shards of a task that starts while the page is open', () => {
  it('come, and change, without a reload', async () => {
    const id = await server.runTo('etl/parts', 'running');
    const page = await browsing.open(`${server.url}/runs/${id}?view=timeline&task=load&tab=shards`);
    const details = page.getByRole('complementary', { name: 'Details of load' });
    await details.getByText('Not started: its shards come when its turn does').waitFor();
    await signal('gate');
    await page.getByRole('button', { name: /^load, shell task, running, 4 shards/ }).waitFor();
    await details.getByRole('row', { name: /^3 running/ }).waitFor();
    await signal('0');
    await details.getByRole('row', { name: /^0 success/ }).waitFor();
    await signal('1');
    const row = page.getByRole('button', { name: /^load, shell task, \w+, 4 shards, 1 of 4 failed/ });
    await row.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('region', { name: /^Timeline of the run, 6 rows/ }).waitFor();
    await picture(page, 'run-live-shards');
    expect(await violations(page)).toEqual([]);
    await signal('2');
    await signal('3');
    await server.reaches(id, 'failed');
  });
});
