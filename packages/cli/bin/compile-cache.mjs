/**
 * The folder in which Node keeps what it compiled of this program: `orrery` in the user's cache folder. Node runs
 * what it finds there unchecked, so it must be closed to other users. Where it is not, nothing is kept.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import module from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';

const WRITABLE_FOR_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;
/** In a sticky folder only the owner of a file can replace it. */
const STICKY = 0o1000;

/** Uses the cache, unless NODE_COMPILE_CACHE names another one or NODE_DISABLE_COMPILE_CACHE forbids any. */
export function enableCompileCache() {
  if (module.getCompileCacheDir() !== undefined || process.env.NODE_DISABLE_COMPILE_CACHE) return;
  // Windows has no such owners; Node's default there, the temporary folder, belongs to the user.
  const folder = process.geteuid && privateFolder(process.env, process.geteuid());
  if (folder !== undefined || !process.geteuid) module.enableCompileCache(folder);
}

function privateFolder({ XDG_CACHE_HOME = '', HOME = '' }, user) {
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache');
  if (!isAbsolute(caches)) return undefined;
  try {
    // Checked first: root could create folders in another user's home, which that user could not use.
    const { uid } = statSync(existsSync(caches) ? caches : dirname(caches));
    if (uid !== user && uid !== 0) return undefined;
    mkdirSync(join(caches, 'orrery'), { recursive: true, mode: 0o700 });
    const parent = realpathSync.native(caches);
    const folder = join(parent, 'orrery');
    const above = lstatSync(parent);
    const own = lstatSync(folder);
    const isOurs = own.isDirectory() && own.uid === user && (own.mode & OPEN_TO_OTHERS) === 0;
    const isKept = (above.mode & WRITABLE_FOR_OTHERS) === 0 || (above.mode & STICKY) !== 0;
    return isOurs && isKept ? folder : undefined;
  } catch {
    return undefined;
  }
}
