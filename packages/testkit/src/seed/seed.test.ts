import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runMachine, taskMachine } from '@orrery/core/state';
import { type Client, createClient } from '@orrery/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedHuge } from './huge.ts';
import { seed } from './seed.ts';
import { serveSeed } from './serve.ts';
import { SMALL_NOW, seedSmall } from './small.ts';

const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-seed-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function withClient<T>(folder: string, ask: (client: Client) => Promise<T>): Promise<T> {
  const api = await serveSeed(folder);
  try {
    return await ask(createClient({ url: api.url }));
  } finally {
    await api.stop();
  }
}

describe('small', () => {
  const folder = newFolder();
  beforeAll(() => seed('small', folder, 0), 120_000);

  it('has every state of runs and of task runs', async () => {
    await withClient(folder, async (client) => {
      const runs = await all(client.all.listRuns());
      expect(new Set(runs.map(({ state }) => state))).toEqual(
        new Set(['queued', ...Object.keys(runMachine.transitions)]),
      );
      const states = new Set<string>();
      for (const { id } of runs) {
        const { states: names, columns } = await client.listTasks({ id });
        for (const state of columns.state) states.add(names[state]);
      }
      expect(states).toEqual(new Set(Object.keys(taskMachine.transitions)));
    });
  });

  it('is at its fixed moment, and the same every time', async () => {
    const again = newFolder();
    await seedSmall(again);
    const look = (client: Client) => all(client.all.listRuns());
    const runs = await withClient(folder, look);
    expect(await withClient(again, look)).toEqual(runs);
    expect(Math.max(...runs.map(({ createdAt }) => Date.parse(createdAt)))).toBeLessThanOrEqual(SMALL_NOW);
    const { masters, workers } = await withClient(folder, (client) => client.listNodes());
    expect([...masters, ...workers].map(({ state }) => state)).toEqual(['alive', 'alive', 'alive']);
    // The API counts from the moment too: what fires next is after it, and not today's time of day.
    const { schedules } = await withClient(folder, (client) => client.listSchedules());
    for (const { nextDue } of schedules)
      expect(Math.abs(Date.parse(nextDue ?? '') - SMALL_NOW)).toBeLessThan(86_400_000);
  }, 120_000);

  it('has the log of every attempt that a worker ran', async () => {
    await withClient(folder, async (client) => {
      for (const { id } of await all(client.all.listRuns({ limit: 200 }))) {
        const { columns } = await client.listTasks({ id });
        for (const [k, attempt] of columns.attempt.entries()) {
          if (attempt === 0) continue;
          const [last] = (await all(client.all.listAttempts({ id: `${id}.${columns.name[k]}` }))).reverse();
          // One that was called back before a worker took it is in no list.
          if (!last?.worker) continue;
          const { text, source } = await client.readLog({ id: last.id });
          expect([source, text]).toEqual(['log', expect.stringContaining(`${columns.name[k]} starts`)]);
        }
      }
    });
  }, 120_000);
});

describe('huge, made small', () => {
  const folder = newFolder();
  const now = Date.parse('2026-06-15T10:20:00Z');
  const sizes = { workflows: 30, runs: 600, wide: 60, tasks: 300, logLines: 5_000 };
  beforeAll(() => seedHuge(folder, now, sizes), 120_000);

  it('has what it promises, and every copy is a whole run', async () => {
    await withClient(folder, async (client) => {
      const workflows = await all(client.all.listWorkflows());
      expect(workflows.length).toBeGreaterThanOrEqual(sizes.workflows + 3);
      const runs = await all(client.all.listRuns({ limit: 1_000 }));
      expect(runs.length).toBeGreaterThanOrEqual(sizes.runs);
      for (const { id, project, name, state } of runs.filter((_, k) => k % 25 === 0)) {
        const run = await client.showRun({ id });
        expect(run).toMatchObject({ id, project, name, state });
        expect(Date.parse(run.startedAt ?? run.createdAt)).toBeGreaterThanOrEqual(Date.parse(run.createdAt));
        expect(Date.parse(run.createdAt)).toBeLessThanOrEqual(now);
      }
      const [wide] = runs.filter(({ name }) => name === 'wide');
      expect(wide.state).toBe('running');
      expect((await client.listTasks({ id: wide.id })).total).toBe(sizes.wide);
      const [chatty] = runs.filter(({ name }) => name === 'chatty');
      expect((await client.readLog({ id: `${chatty.id}.export.1` })).text).toContain(
        'exported row 0 of 5000',
      );
    });
  });

  it('has a tick of its schedule for each run that one started', () => {
    const db = new DatabaseSync(join(folder, 'orrery.db'));
    const one = (sql: string) => Object.values(db.prepare(sql).get() as object)[0];
    expect(one("SELECT count(*) FROM run WHERE trigger_kind = 'tick'")).toBe(
      one('SELECT count(*) FROM tick'),
    );
    expect(
      one(`SELECT count(*) FROM tick t JOIN schedule s ON s.id = t.schedule JOIN run r ON r.id = t.run
           WHERE r.workflow <> s.workflow OR r.business_time <> t.due`),
    ).toBe(0);
    expect(one('SELECT count(*) FROM tick_skip')).toBe(0);
    expect(one('SELECT count(*) FROM run WHERE id > (SELECT value FROM numbers)')).toBe(0);
    db.close();
  });
});

it('leaves a folder alone that has a database', async () => {
  const folder = newFolder();
  await seed('empty', folder, 0);
  expect(readdirSync(folder)).toContain('orrery.db');
  await expect(seed('small', folder, 0)).rejects.toThrow('has a database already; choose an empty folder');
  expect(await withClient(folder, (client) => client.listRuns())).toMatchObject({ runs: [] });
});
