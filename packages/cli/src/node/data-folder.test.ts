import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOpenToOthers, openDataFolder } from './data-folder.ts';

let above: string;
let folder: string;
let told: string[];

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'orrery-data-'));
  folder = join(above, 'data');
  told = [];
});
afterEach(() => rmSync(above, { recursive: true, force: true }));

const open = (user?: number) => openDataFolder(folder, (_, text) => told.push(text), user);
const mode = (...path: string[]) => (statSync(join(folder, ...path)).mode & 0o777).toString(8);

/** A folder as an earlier version left it. */
function old(mode = 0o755): void {
  mkdirSync(join(folder, 'logs', 'etl'), { recursive: true });
  mkdirSync(join(folder, 'worker'));
  for (const name of ['orrery.db', 'orrery.db-wal', 'orrery.db.lock']) writeFileSync(join(folder, name), '');
  for (const name of ['', 'logs', 'worker', 'logs/etl']) chmodSync(join(folder, name), mode);
}

/** Only root can give a folder to another user. */
const asRoot = process.geteuid?.() === 0 ? it : () => {};

describe('a data folder', () => {
  it.each(['000', '022', '077'])('that is new is closed to others, with umask %s', (mask) => {
    folder = join(above, 'not', 'yet', 'data');
    const umask = process.umask(mask);
    try {
      open();
    } finally {
      process.umask(umask);
    }
    expect(mode()).toBe('700');
    expect(mode('..')).toBe((0o777 & ~Number.parseInt(mask, 8)).toString(8));
    expect(told).toEqual([]);
  });

  it('of an earlier version is closed with what lies directly in it, and that is told once', () => {
    old(0o777);
    open();
    expect([mode(), mode('logs'), mode('worker')]).toEqual(['700', '700', '700']);
    expect([mode('orrery.db'), mode('orrery.db-wal'), mode('orrery.db.lock')]).toEqual(['600', '600', '600']);
    // However many logs there are, they are not walked through.
    expect(mode('logs', 'etl')).toBe('777');
    open();
    expect(told).toEqual([expect.stringMatching(/^other users could read .*data, .*orrery\.db, .*closed/)]);
  });

  it('that is a link is closed where it leads', () => {
    old();
    const place = folder;
    folder = join(above, 'link');
    symlinkSync(place, folder);
    open();
    expect(mode()).toBe('700');
  });

  it('with anything else in it stays as it is; what is ours in it is closed', () => {
    old();
    writeFileSync(join(folder, 'package.json'), '');
    chmodSync(join(folder, 'package.json'), 0o644);
    open();
    expect([mode(), mode('package.json'), mode('orrery.db'), mode('logs')]).toEqual([
      '755',
      '644',
      '600',
      '700',
    ]);
    expect(told[0]).toContain(`holds more than Orrery's data ("package.json"); name another folder`);
  });

  it.each(['777', '1777', '775'])('of mode %s with anything else in it is refused', (given) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'theirs'), '');
    chmodSync(folder, given);
    expect(() => open()).toThrow(
      `${folder} is open to other users and holds more than Orrery's data ("theirs")`,
    );
    expect(mode()).toBe(given.slice(-3));
  });

  it('that anyone may use, such as /tmp, is refused even while it is empty', () => {
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
    expect(() => open()).toThrow(`${folder} is shared by all users; name another folder with --data`);
    expect(mode()).toBe('777');
  });

  it('of another user is refused, but for root', () => {
    old();
    const { uid } = statSync(folder);
    expect(() => open(uid + 1)).toThrow(`${folder} belongs to another user (uid ${uid})`);
    expect(mode()).toBe('755');
    open(0);
    expect(mode()).toBe('700');
  });

  asRoot('of another user is used by root with a warning', () => {
    old();
    chownSync(folder, 65_534, 65_534);
    open();
    expect(told).toContain(
      `${folder} belongs to another user (uid 65534), who cannot read what root writes there`,
    );
  });

  it('may lose a file while it is opened, as when another server stops', () => {
    expect(isOpenToOthers(join(above, 'orrery.db-wal'))).toBe(false);
  });

  it('does not lead elsewhere: links in it are left alone, and what is open there is told', () => {
    old();
    const elsewhere = join(above, 'elsewhere');
    mkdirSync(elsewhere);
    chmodSync(elsewhere, 0o755);
    rmSync(join(folder, 'logs'), { recursive: true });
    symlinkSync(elsewhere, join(folder, 'logs'));
    open();
    expect(existsSync(join(folder, 'logs'))).toBe(true);
    expect((statSync(elsewhere).mode & 0o777).toString(8)).toBe('755');
    expect(told).toContain(`${join(folder, 'logs')} leads to ${elsewhere}, which is open to other users`);
  });
});
