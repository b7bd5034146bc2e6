/**
 * Folders that outlive attempts, such as virtual environments: one set for each user, since a user must never
 * run what another user made. The worker owns the markers beside them, so no task can redirect them.
 */
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeAs } from './remove-as.ts';
import type { TaskUser } from './task-user.ts';

/** Its name below the folder of work folders, which tenants can pass through. */
export const KEPT = '.kept';

/** Folders that a task may keep for later attempts of the same user. */
export interface KeptFolders {
  /** The parent of the folders. Only the worker can write to it, and the tasks of one user can read it. */
  readonly path: string;
  /**
   * Creates an empty folder that the task's processes can write to, replacing any of that name. Returns its
   * path.
   */
  make(name: string): Promise<string>;
  remove(name: string): Promise<void>;
}

/** The folders of a worker whose tasks run as its own user. */
export function workersFolders(path: string): KeptFolders {
  const remove = (name: string) => rm(join(path, name), { recursive: true, force: true });
  return {
    path,
    remove,
    async make(name) {
      await remove(name);
      mkdirSync(join(path, name), { recursive: true, mode: 0o700 });
      return join(path, name);
    },
  };
}

/** The folders of one user, below the parent of work folders; `kind` separates task types. */
export function foldersOf({ uid, gid }: TaskUser, work: string, kind: string): KeptFolders {
  const parent = join(work, KEPT);
  const path = join(parent, `${kind}-${uid}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(parent, 0o711);
  chownSync(path, -1, gid);
  chmodSync(path, 0o750);
  const remove = async (name: string) => {
    if (!readdirSync(path).includes(name)) return;
    const folder = join(path, name);
    await removeAs({ uid, gid }, folder);
    await rmdir(folder);
  };
  return {
    path,
    remove,
    async make(name) {
      await remove(name);
      const folder = join(path, name);
      mkdirSync(folder, { mode: 0o700 });
      try {
        chownSync(folder, uid, gid);
      } catch (error) {
        rmSync(folder, { recursive: true });
        throw error;
      }
      return folder;
    },
  };
}
