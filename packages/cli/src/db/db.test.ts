import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@orrery/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orrery } from '../run-binary.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orrery-db-'));
  file = join(folder, 'orrery.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function edit(statements: string): void {
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
}

const migrate = (...args: string[]) => orrery(['db', 'migrate', '--data', folder, ...args]);
const doctor = (...args: string[]) => orrery(['db', 'doctor', '--data', folder, ...args]);

describe('orrery db migrate', () => {
  it('lists what is pending without applying it, applies it, and then has nothing to do', async () => {
    edit('PRAGMA journal_mode = WAL; CREATE TABLE other (x)');
    for (let again = 0; again < 2; again++) {
      expect(await migrate('--dry-run')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^pending 1 /),
      });
    }
    expect(await migrate()).toMatchObject({ code: 0, out: expect.stringMatching(/^applied 1 /) });
    expect(await migrate()).toMatchObject({ code: 0, out: 'the schema is up to date\n' });
    expect(JSON.parse((await migrate('--json')).out)).toEqual({ applied: [] });
  });

  it('refuses a schema that is too new for it', async () => {
    await (await openSqlite(file)).close();
    edit(`INSERT INTO migration (number, name) VALUES (99, 'later')`);
    expect(await migrate()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('schema 99') });
  });

  it.each([
    [['--data', 'nowhere'], 'there is no database'],
    [['--database', 'mysql://x'], 'postgres://'],
    [['--data', 'x', '--database', 'postgres://x'], 'not both'],
  ])('refuses %j in one line', async (args, reason) => {
    const { code, err } = await orrery(['db', 'migrate', ...args]);
    expect({ code, lines: err.split('\n').length }).toEqual({ code: 2, lines: 2 });
    expect(err).toContain(reason);
  });
});

describe('orrery db restore', () => {
  it('leaves no data folder behind where there is no such backup', async () => {
    const data = join(folder, 'new');
    const { code, err } = await orrery(['db', 'restore', join(folder, 'none.db'), '--data', data]);
    expect({ code, err }).toEqual({
      code: 2,
      err: `orrery: there is no backup ${join(folder, 'none.db')}\n`,
    });
    expect(existsSync(data)).toBe(false);
  });
});

describe('orrery db doctor', () => {
  it('says in one line that a file is damaged, no database, or may not be used', async () => {
    writeFileSync(file, 'no database at all, only words that somebody wrote here '.repeat(100));
    const none = await doctor();
    expect(none).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^orrery: cannot open .*not a database.*restore.*\n$/),
    });
    rmSync(file);
    await (await openSqlite(file)).close();
    edit(
      'CREATE TABLE big (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO big SELECT randomblob(60) FROM n',
    );
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length - 400_000, bytes.length - 200_000);
    writeFileSync(file, bytes);
    const damaged = await doctor();
    expect(damaged.code).toBe(1);
    expect(damaged.out + damaged.err).toMatch(/damaged/);
    expect(damaged.err.split('\n').length).toBeLessThan(3);
  });

  it('counts what there is and finds nothing wrong in a sound database', async () => {
    await (await openSqlite(file)).close();
    const { code, out } = await doctor();
    expect(code).toBe(0);
    expect(out).toMatch(/^schema \d+ /);
    expect(out).toContain('  run: 0\n');
    expect(out).toContain('nothing is wrong\n');
  });

  it('tells of rows that contradict each other and ends with 1', async () => {
    await (await openSqlite(file)).close();
    edit(`INSERT INTO limit_size (name, slots, held) VALUES ('cpu', 5, 3)`);
    expect(await doctor()).toMatchObject({
      code: 1,
      out: expect.stringContaining('wrong: limits with a wrong count: 1\n'),
    });
    const { code, out } = await doctor('--json');
    expect({ code, problems: JSON.parse(out).problems }).toEqual({
      code: 1,
      problems: ['limits with a wrong count: 1'],
    });
  });

  it('tells of pending migrations and applies none', async () => {
    edit('PRAGMA journal_mode = WAL; CREATE TABLE other (x)');
    for (let again = 0; again < 2; again++) {
      const { code, out } = await doctor();
      expect(code).toBe(1);
      expect(out).toContain('pending; run "orrery db migrate"');
    }
  });

  it('refuses a database that another process uses', async () => {
    const store = await openSqlite(file);
    try {
      for (const { code, out, err } of [await doctor(), await migrate(), await migrate('--dry-run')]) {
        expect({ code, out }).toEqual({ code: 1, out: '' });
        expect(err).toMatch(/^orrery: another process is using .*orrery\.db; .*\n$/);
      }
    } finally {
      await store.close();
    }
  });
});
