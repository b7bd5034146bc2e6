import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite, openSqliteThread, type Store } from './index.ts';
import { change, type Operation, row, rows } from './operation.ts';
import { SqliteDriver } from './sqlite.ts';
import { storeOn } from './store.ts';
import { changeOf, commit, fieldsOf, joinMaster, NOW, startRuns } from './testing.ts';

describe('SQLite in a file', () => {
  let folder: string;
  let path: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orrery-store-'));
    path = join(folder, 'orrery.db');
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Starts the process that commits runs; what it has said so far. */
  const startChild = async (how = '') => {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('./durability-child.ts', import.meta.url)),
      path,
      how,
    ]);
    children.push(child);
    const said = { text: '' };
    child.stdout?.on('data', (chunk) => {
      said.text += chunk;
    });
    await once(child.stdout ?? child, 'data');
    return { child, said };
  };

  it('syncs every commit to the disk, in a write-ahead log', () => {
    const driver = new SqliteDriver(path);
    const pragma = (name: string) =>
      driver.read(function* (): Operation<unknown> {
        return Object.values((yield* row<object>(`PRAGMA ${name}`)) ?? {})[0];
      });
    expect([pragma('journal_mode'), pragma('synchronous')]).toEqual(['wal', 2]);
    driver.close();
  });

  it('is still there when opened again', async () => {
    const store = await openSqlite(path);
    const [run] = await startRuns(store, await joinMaster(store));
    await store.close();
    const again = await openSqlite(path);
    expect((await again.readRun({ id: run }))?.run.state).toBe('running');
    expect((await joinMaster(again)).epoch).toBe(2);
    await again.close();
  });

  it.each(['inline', 'thread'])(
    'keeps all it acknowledged when the process is killed, ten times (%s)',
    { timeout: 180_000 },
    async (how) => {
      const acknowledged = new Set<number>();
      for (let round = 0; round < 10; round++) {
        const { child, said } = await startChild(how);
        expect(said.text.startsWith('open')).toBe(true);
        // Killed anywhere in what follows its second commit.
        while (said.text.split('\n').length < 4) await once(child.stdout, 'data');
        await sleep(Math.random() * 60);
        child.kill('SIGKILL');
        await once(child, 'close');
        // A line that was cut off tells of a commit that nobody heard of.
        for (const line of said.text.split('\n').slice(1, -1)) acknowledged.add(Number(line));
        const database = new DatabaseSync(path);
        expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
        database.close();
      }
      expect(acknowledged.size).toBeGreaterThan(10);
      const store = await openSqlite(path);
      for (const run of acknowledged) expect((await store.readRun({ id: run }))?.run.state).toBe('success');
      expect(new Set(Object.values((await store.checkStore()).orphans))).toEqual(new Set([0]));
      await store.close();
    },
  );

  it('belongs to one process, which the second is told', async () => {
    const { child } = await startChild();
    const message = `another process is using ${path}; stop it first, or give this one a data folder of its own`;
    await expect(openSqlite(path)).rejects.toThrow(message);
    await expect(openSqliteThread(path)).rejects.toThrow(message);
    const { child: second, said } = await startChild();
    await once(second, 'close');
    expect(said.text).toBe(`refused: ${message}\n`);
    child.kill('SIGKILL');
    await once(child, 'close');
    await (await openSqlite(path)).close();
  });

  it('is closed to other users, also where a link says to make it', async () => {
    symlinkSync(join(folder, 'elsewhere.db'), path);
    const store = await openSqlite(path);
    const open = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
    await store.close();
    expect(open).toEqual([]);
  });

  it('says what is wrong when the file cannot be opened', async () => {
    await expect(openSqlite(join(folder, 'nowhere', 'orrery.db'))).rejects.toMatchObject({
      tag: 'store-away',
      message: expect.stringContaining('nowhere/orrery.db'),
    });
  });

  it('refuses a database that is further ahead than the next schema', async () => {
    await (await openSqlite(path)).close();
    const database = new DatabaseSync(path);
    const add = (number: number) => database.exec(`INSERT INTO migration VALUES (${number}, 'later')`);
    const [{ known }] = database.prepare('SELECT max(number) AS known FROM migration').all() as {
      known: number;
    }[];
    add(known + 1);
    await (await openSqlite(path)).close();
    add(known + 2);
    database.close();
    await expect(openSqlite(path)).rejects.toMatchObject({
      tag: 'conflict',
      message: `the database has schema ${known + 2}, and this version of Orrery works with ${known} and ${known + 1}; use a newer one`,
    });
  });

  describe('in trouble', () => {
    let driver: SqliteDriver;
    let store: Store;
    beforeEach(() => {
      driver = new SqliteDriver(path);
      store = storeOn(driver);
    });
    afterEach(() => store.close());

    const pragma = (text: string) => driver.read(() => change(`PRAGMA ${text}`));
    const pages = () =>
      driver.read(function* (): Operation<number> {
        return (yield* row<{ page_count: number }>('PRAGMA page_count'))?.page_count ?? 0;
      });
    const fill = async (self: Awaited<ReturnType<typeof joinMaster>>, run: number) => {
      const params = { much: 'x'.repeat(100_000) };
      await commit(store, self, changeOf(run, { fields: { ...fieldsOf('pausing'), params } }));
    };

    it('is away while the disk is full, undoes what did not fit, and goes on by itself', async () => {
      const self = await joinMaster(store);
      const [run] = await startRuns(store, self);
      pragma(`max_page_count = ${pages()}`);
      await expect(fill(self, run)).rejects.toMatchObject({ tag: 'store-away', unknown: false });
      expect((await store.readRun({ id: run }))?.run.state).toBe('running');
      pragma('max_page_count = 1000000');
      await fill(self, run);
      expect((await store.readRun({ id: run }))?.run.state).toBe('pausing');
    });

    it('is away while it cannot be written, can be read all the same, and goes on by itself', async () => {
      const self = await joinMaster(store);
      pragma('query_only = 1');
      await expect(store.beat({ self, now: NOW })).rejects.toMatchObject({
        tag: 'store-away',
        unknown: false,
      });
      expect(await store.listNodes()).toHaveLength(1);
      pragma('query_only = 0');
      await store.beat({ self, now: NOW });
    });

    it('commits many operations at once, and one that fails leaves the others alone', () => {
      const insert =
        (key: string, answer = '') =>
        () =>
          change(`INSERT INTO idempotency (key, answer, created_at) VALUES ('${key}', '${answer}', 0)`);
      const all = (...makes: (() => Operation<unknown>)[]) =>
        driver.transactAll(makes).map((outcome) => 'result' in outcome);
      const keys = () =>
        driver.read(function* (): Operation<string[]> {
          const found = yield* rows<{ key: string }>('SELECT key FROM idempotency ORDER BY key');
          return found.map(({ key }) => key);
        });
      expect(all(insert('a'), insert('a'), insert('b'))).toEqual([true, false, true]);
      expect(keys()).toEqual(['a', 'b']);
      pragma(`max_page_count = ${pages()}`);
      const answers = all(insert('c'), insert('much', 'x'.repeat(100_000)), insert('d'));
      pragma('max_page_count = 1000000');
      expect(answers[1]).toBe(false);
      expect(keys()).toEqual(['a', 'b', ...['c', 'much', 'd'].filter((_, k) => answers[k])]);
      expect(all(insert('e'), insert('f'))).toEqual([true, true]);
    });
  });
});
