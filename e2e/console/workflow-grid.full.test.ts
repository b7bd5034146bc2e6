import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';
import { Server } from './harness/server.ts';

let server: Server;
const browsing = useBrowser();
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server?.stop());

it('a grid of 1,000 tasks and 60 runs is walked to its end', async () => {
  const tasks = Array.from({ length: 1_000 }, (_, k) => `  - { name: t${k}, type: noop }`).join('\n');
  await server.publish(`name: wide\ntasks:\n${tasks}`);
  const ids: number[] = [];
  for (let k = 0; k < 60; k++) ids.push((await server.client.startRun({ body: { workflow: 'wide' } })).id);
  for (const id of ids) await server.reaches(id, 'success');
  const page = await browsing.open(`${server.url}/workflows/default/wide`);
  const grid = page.getByRole('region', { name: 'Last 60 runs' });
  await grid.getByRole('button', { name: new RegExp(`^run ${ids[59]}, v1, success`) }).focus();
  for (let k = 0; k < 51; k++) await page.keyboard.press('PageDown');
  await page.keyboard.press('Home');
  const last = grid.getByRole('button', { name: `t999 in run ${ids[0]}: success` });
  await last.waitFor();
  expect(await last.evaluate((cell) => document.activeElement === cell)).toBe(true);
});
