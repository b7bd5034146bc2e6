/**
 * The folder of one attempt, created on first use. If tasks run as other users it has two parts: the folder
 * itself, which the worker writes and the task can only read, and `home` below it, which belongs to the task.
 * So the worker never writes, reads or removes anything through a link that a task made.
 */
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync } from 'node:fs';
import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AttemptId, attemptText } from '@orrery/wire/frames';
import { KEPT } from '../isolation/kept-folders.ts';
import { removeAs } from '../isolation/remove-as.ts';
import type { TaskUser } from '../isolation/task-user.ts';

const HOME = 'home';

/** Only the worker's user and the task's may read it: scripts and parameters may hold secrets. */
export class WorkFolder {
  /** Where the worker writes; undefined until it is created. */
  path: string | undefined;
  private user: TaskUser | undefined;
  private readonly parent: string;
  private readonly attempt: AttemptId;

  constructor(parent: string, attempt: AttemptId) {
    this.parent = parent;
    this.attempt = attempt;
  }

  make(): string {
    if (this.path === undefined) {
      const path = join(this.parent, attemptText(this.attempt));
      mkdirSync(path, { recursive: true, mode: 0o700 });
      this.path = path;
    }
    return this.path;
  }

  /** Where the task's processes may write: the folder itself, or `home` if the task has a user of its own. */
  get home(): string {
    const path = this.make();
    return this.user ? join(path, HOME) : path;
  }

  /** The file for outputs as JSON; undefined while there is no folder. */
  get outputFile(): string | undefined {
    return this.path && join(this.home, 'output.json');
  }

  /** The required owner of the task's files; undefined if that is the worker's user. */
  get owner(): number | undefined {
    return this.user?.uid;
  }

  /**
   * Lets a user read what the worker has written so far, and creates the user's home. Called before each
   * process.
   */
  handTo(user: TaskUser): void {
    const path = this.make();
    if (!this.user) {
      this.user = user;
      const home = join(path, HOME);
      mkdirSync(home, { mode: 0o700 });
      chownSync(home, user.uid, user.gid);
    }
    openTo(path, user);
  }

  async remove(warn: (text: string) => void): Promise<void> {
    if (this.path !== undefined) await removeWork(this.path, warn);
  }
}

/**
 * Removes the folder of an attempt. The contents of its home are removed with only the rights of the home's
 * owner.
 */
async function removeWork(path: string, warn: (text: string) => void): Promise<void> {
  try {
    const home = join(path, HOME);
    const { uid, gid } = await lstat(home).catch(() => ({ uid: undefined, gid: undefined }));
    if (uid !== undefined && uid !== process.geteuid?.()) {
      await removeAs({ uid, gid }, home);
      // Fails while the folder has entries: what its owner cannot remove stays.
      await rmdir(home);
    }
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    warn(`cannot remove ${path}: ${error}`);
  }
}

/** Removes folders of attempts left by an earlier worker. */
export async function clearWork(parent: string, warn: (text: string) => void): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) if (name !== KEPT) await removeWork(join(parent, name), warn);
}

/** Folders stay the worker's, so no other user can put a link into them; files become the user's. */
function openTo(folder: string, { uid, gid }: TaskUser): void {
  chownSync(folder, -1, gid);
  chmodSync(folder, 0o750);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) lchownSync(path, uid, gid);
    else if (entry.isDirectory() && entry.name !== HOME) openTo(path, { uid, gid } as TaskUser);
  }
}
