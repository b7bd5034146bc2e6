import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testSchema } from '@orrery/testkit/databases';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUp, findStore, openPostgres, openSqlite, restore, type StorePlace } from './index.ts';
import {
  attemptOf,
  changeOf,
  claimOrphans,
  commit,
  joinMaster,
  joinWorker,
  NOW,
  outcomeOf,
  readInboxes,
  readyOf,
  startRuns,
  takeFor,
} from './testing.ts';

let folder: string;
let schemas: Awaited<ReturnType<typeof testSchema>>[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-backup-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  for (const schema of schemas) await schema.drop();
  schemas = [];
});

let places = 0;
async function newPlace(kind: string): Promise<StorePlace> {
  if (kind === 'SQLite') return { file: join(folder, `${places++}.db`) };
  const schema = await testSchema();
  schemas.push(schema);
  return schema.options;
}
const open = (place: StorePlace) => ('file' in place ? openSqlite(place.file) : openPostgres(place));

describe.each([
  ['SQLite', 'SQLite'],
  ['PostgreSQL', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
  ['SQLite', 'PostgreSQL'],
])('a backup of %s restored to %s', (from, to) => {
  it('goes on, and nothing from after the backup counts', async () => {
    const before = await newPlace(from);
    const file = join(folder, 'backup');
    const store = await open(before);
    const self = await joinMaster(store);
    const epoch = await joinWorker(store, self);
    const [run] = await startRuns(store, self);
    const attempt = attemptOf(run, 0);
    await commit(store, self, changeOf(run, { enqueue: [readyOf(attempt)] }));
    await takeFor(store, self, epoch, 1);
    await backUp(before, file);
    expect(statSync(file).mode & 0o077).toBe(0);
    await expect(backUp(before, file)).rejects.toThrow('is there already');
    // What happens now is not in it.
    const [later] = await startRuns(store, self);
    const second = await joinWorker(store, self, 'w2');
    await store.close();

    const after = from === to ? before : await newPlace(to);
    if (from === to)
      await expect(restore(file, after, { replace: false, now: NOW })).rejects.toThrow('--replace');
    expect(await restore(file, after, { replace: true, now: NOW })).toMatchObject({ runs: 1 });
    const found = await findStore(after);
    expect(Object.values((await found.checkStore()).orphans).every((count) => count === 0)).toBe(true);
    await found.close();

    const restored = await open(after);
    expect(await restored.beat({ self, now: NOW }).catch((error) => error.tag)).toBe('stale-epoch');
    const master = await joinMaster(restored);
    expect(master.epoch).toBeGreaterThan(self.epoch);
    // Workers that lived through it: known ones and those that came after the backup are no longer welcome.
    for (const [worker, old] of [
      ['w1', epoch],
      ['w2', second],
    ] as const) {
      const beat = { self: master, worker, epoch: old, take: 1, held: [], load: {}, now: NOW };
      expect((await restored.beatWorker(beat)).welcome).toBe(false);
    }
    expect(await joinWorker(restored, master)).toBeGreaterThan(epoch);
    expect(await joinWorker(restored, master, 'w2')).toBeGreaterThan(second);
    // A report on what was under way is late.
    const report = { ...outcomeOf(attempt, epoch), outcome: { state: 'success' as const } };
    expect(await restored.recordElsewhere({ self: master, reports: [report], now: NOW })).toEqual({
      owners: [],
    });
    expect(await claimOrphans(restored, master, 10)).toEqual([run]);
    const told = (await readInboxes(restored, master)).map(({ message }) => message.type);
    expect(told.sort()).toEqual(['outcome', 'owner-lost']);
    const [next] = await startRuns(restored, master);
    expect(next).toBeGreaterThan(later);
    await restored.close();
  });
});

describe('a restore', () => {
  it('refuses what is no backup, and leaves what is there', async () => {
    const place = { file: join(folder, 'orrery.db') };
    await (await openSqlite(place.file)).close();
    const other = join(folder, 'other');
    writeFileSync(other, 'words '.repeat(10_000));
    await expect(restore(other, place, { replace: true, now: NOW })).rejects.toThrow(
      `${other}: the database cannot be used: file is not a database`,
    );
    await expect(restore(join(folder, 'none'), place, { replace: true, now: NOW })).rejects.toThrow(
      'there is no backup',
    );
    await (await openSqlite(place.file)).close();
  });
});

describe('generations', () => {
  it('grow, and a database that is behind is refused', async () => {
    const store = await openSqlite(':memory:');
    expect(await store.beginGeneration({ seen: 0 })).toBe(1);
    expect(await store.beginGeneration({ seen: 1 })).toBe(2);
    await expect(store.beginGeneration({ seen: 7 })).rejects.toThrow('it is at generation 2, and was at 7');
    expect(await store.beginGeneration({ seen: 2 })).toBe(3);
    await store.close();
  });
});
