import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from './index.ts';
import { changeOf, commit, fieldsOf, joinMaster, NOW, startRuns } from './testing.ts';

const RUNS = 10_000;
const child = fileURLToPath(new URL('./bulk-child.ts', import.meta.url));
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-bulk-'));
  path = join(folder, 'orrery.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Has a process take so many steps, and kills it in one of the next few. */
async function carryAndKill(steps: number): Promise<void> {
  const carrier = spawn(process.execPath, [child, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(carrier, 'close');
  let said = '';
  carrier.stdout.on('data', (chunk) => {
    said += chunk;
  });
  carrier.stdin.on('error', () => {});
  carrier.stdin.write('step\n'.repeat(steps + 3));
  while (said.split('\n').length < steps + 2) {
    if (carrier.exitCode !== null) throw new Error(`the process ended with ${carrier.exitCode}: ${said}`);
    await Promise.race([once(carrier.stdout, 'data'), ended]);
  }
  carrier.kill('SIGKILL');
  await ended;
}

it('a bulk of ten thousand runs goes on after whoever carried it out is killed, and tells no run twice', async () => {
  const before = await openSqlite(path);
  const owner = await joinMaster(before, 'owner');
  const runs = await startRuns(before, owner, RUNS);
  const over = runs.filter((_, k) => k % 100 === 0);
  await commit(
    before,
    owner,
    ...over.map((run) => changeOf(run, { fields: fieldsOf('failed'), endedAt: NOW, release: true })),
  );
  const list = { filter: {}, queued: true, claimed: true };
  const { id } = await before.createBulk({
    action: 'stop',
    choice: { list, asked: {} },
    project: null,
    by: 'me',
    now: NOW,
  });
  await before.close();

  // 20 steps write down which runs are meant, 20 tell them: it is killed in the midst of both.
  await carryAndKill(8);
  await carryAndKill(15);
  const store = await openSqlite(path);
  const [half] = await store.readBulks({ ids: [id] });
  expect(half).toMatchObject({ state: 'running', gathering: false, total: RUNS });
  expect(half.told).toBeGreaterThan(0);
  const self = await joinMaster(store, 'another');
  while ((await store.stepBulk({ self, limit: 500, now: NOW })).more);

  expect((await store.readBulks({ ids: [id] }))[0]).toMatchObject({
    state: 'done',
    total: RUNS,
    told: RUNS - over.length,
    refused: over.length,
    refusals: { 'the run has ended': over.length },
  });
  await store.close();
  const database = new DatabaseSync(path);
  const told = database
    .prepare(`SELECT run, count(*) AS times FROM inbox WHERE body LIKE '%"stop"%' GROUP BY run`)
    .all();
  database.close();
  expect(told).toHaveLength(RUNS - over.length);
  expect(told.every(({ times }) => times === 1)).toBe(true);
});
