/**
 * The data folder: closed to other users, regardless of umask and of the version that created it. Only the
 * folder and its direct entries are checked: deeper ones are created closed, and are inside a closed folder.
 */

import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import type { Log } from '@orrery/core/log';

/** What a data folder holds; `lost+found` is the file system's. */
const OWN_NAMES = /^(orrery\.db.*|worker|logs|lost\+found)$/;
const OPEN_TO_OTHERS = 0o077;
const WRITABLE_FOR_OTHERS = 0o022;
/** A sticky folder is shared by all users, like `/tmp`. */
const STICKY = 0o1000;

/** The user of this process; none on Windows, where nothing is checked. */
const self = (): number | undefined => process.geteuid?.();

/**
 * Creates the folder, or closes it. A folder with foreign contents stays unchanged: it may be shared on
 * purpose.
 */
export function openDataFolder(folder: string, log: Log, user = self()): void {
  makeFolder(folder);
  if (user === undefined) return;
  const foreign = foreignOwner(folder, user);
  if (foreign) throw new InvalidInput(foreign);
  const { uid } = statSync(folder);
  if (uid !== user)
    log('warn', `${folder} belongs to another user (uid ${uid}), who cannot read what root writes there`);
  const shared = sharedFolder(folder);
  if (shared && (statSync(folder).mode & WRITABLE_FOR_OTHERS) !== 0) throw new InvalidInput(shared);
  if (shared) log('warn', shared);
  const names = readdirSync(folder).filter((name) => OWN_NAMES.test(name));
  const own = names.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const open = [...(shared ? [] : [realpathSync(folder)]), ...own].filter(isOpenToOthers);
  try {
    for (const path of open) chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
    if (open.length > 0) log('warn', `other users could read ${open.join(', ')}; closed to them now`);
  } catch (error) {
    log('warn', `other users may be able to read ${folder}: ${(error as Error).message}`);
  }
  for (const path of own.filter(isLink)) {
    const target = realpathSync(path);
    if (isOpenToOthers(target)) log('warn', `${path} leads to ${target}, which is open to other users`);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw new InvalidInput(`${folder} is a file or lies below one; name a folder`, '--data');
  }
}

/** Why a folder of another user cannot be used; root may use any. */
export function foreignOwner(folder: string, user = self()): string | undefined {
  const { uid } = statSync(folder);
  if (!user || uid === user) return undefined;
  return `${folder} belongs to another user (uid ${uid}); run as that user, or name another folder with --data`;
}

/** Why an open folder is not simply closed: one like `.` or `/tmp` holds other contents. */
export function sharedFolder(folder: string): string | undefined {
  if (!isOpenToOthers(realpathSync(folder))) return undefined;
  const other = readdirSync(folder).find((name) => !OWN_NAMES.test(name));
  if (other === undefined)
    return (statSync(folder).mode & STICKY) === 0
      ? undefined
      : `${folder} is shared by all users; name another folder with --data`;
  return `${folder} is open to other users and holds more than Orrery's data ("${other}"); name another folder with --data`;
}

/**
 * Whether other users can read or write a file or folder. A link counts as closed, since its target has a
 * mode of its own. A missing file counts as closed too: a stopping server removes files.
 */
export function isOpenToOthers(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return self() !== undefined && !!stats && !stats.isSymbolicLink() && (stats.mode & OPEN_TO_OTHERS) !== 0;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
