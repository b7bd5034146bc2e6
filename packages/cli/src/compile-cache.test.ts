import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { orrery } from './run-binary.ts';

const NOBODY = 65_534;
let home: string;
let own: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'orrery-home-'));
  own = join(home, '.cache', 'orrery');
  vi.stubEnv('HOME', home);
  for (const name of ['XDG_CACHE_HOME', 'NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE'])
    vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** The cache of a process that starts as `orrery` does; empty for none. */
function cache(): string {
  const start = `
    import module from 'node:module';
    import { enableCompileCache } from ${JSON.stringify(join(import.meta.dirname, '..', 'bin', 'compile-cache.mjs'))};
    enableCompileCache();
    process.stdout.write(module.getCompileCacheDir() ?? '');`;
  const used = execFileSync(process.execPath, ['--input-type=module', '--eval', start], { encoding: 'utf8' });
  return used && dirname(used);
}

it('keeps compiled code in a folder of its user, whatever the umask', async () => {
  const umask = process.umask(0);
  try {
    expect(await orrery(['--version'])).toMatchObject({ code: 0, err: '' });
  } finally {
    process.umask(umask);
  }
  expect(statSync(own).mode & 0o777).toBe(0o700);
  expect(readdirSync(own)).toHaveLength(1);
  expect(existsSync(join(tmpdir(), 'node-compile-cache'))).toBe(false);
});

it('goes where XDG_CACHE_HOME says, but for one that is not absolute', () => {
  vi.stubEnv('XDG_CACHE_HOME', join(home, 'caches'));
  expect(cache()).toBe(join(home, 'caches', 'orrery'));
  vi.stubEnv('XDG_CACHE_HOME', 'caches');
  expect(cache()).toBe(own);
});

it('leaves a cache alone that the user chose', () => {
  vi.stubEnv('NODE_COMPILE_CACHE', join(home, 'chosen'));
  expect(cache()).toBe(join(home, 'chosen'));
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1');
  expect(cache()).toBe('');
  expect(existsSync(own)).toBe(false);
});

const unsafe: [string, () => void][] = [
  ['others can write it', () => chmodSync(own, 0o777)],
  ['others can read it', () => chmodSync(own, 0o755)],
  ['others can replace it', () => chmodSync(join(own, '..'), 0o777)],
  [
    'it is a link',
    () => {
      rmSync(own, { recursive: true });
      mkdirSync(join(home, 'elsewhere'), { mode: 0o700 });
      symlinkSync(join(home, 'elsewhere'), own);
    },
  ],
  ['there is no home', () => vi.stubEnv('HOME', undefined)],
  ['its home does not exist', () => vi.stubEnv('HOME', join(home, 'gone'))],
];
const isRoot = process.geteuid?.() === 0;
if (isRoot)
  unsafe.push(
    ['it belongs to another user', () => chownSync(own, NOBODY, NOBODY)],
    ['its parent belongs to another user', () => chownSync(join(own, '..'), NOBODY, NOBODY)],
  );

it.each(unsafe)('keeps nothing where %s', (_, spoil) => {
  mkdirSync(own, { recursive: true, mode: 0o700 });
  spoil();
  expect(cache()).toBe('');
  expect(existsSync(join(home, 'gone'))).toBe(false);
});

/** Only root can give a folder to another user. */
const asRoot = isRoot ? it : () => {};
asRoot('makes no folder as root in the home of another user', () => {
  chownSync(home, NOBODY, NOBODY);
  expect(cache()).toBe('');
  expect(readdirSync(home)).toEqual([]);
});
