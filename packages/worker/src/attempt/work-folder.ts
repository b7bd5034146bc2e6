/**
 * The folder of one attempt, made when first asked for. Where tasks run as other users it has two parts: what the worker
 * writes for the task, which the task can read and not replace, and below it `home`, which is the task's own. So the
 * worker never writes, reads or removes anything through a link that a task has made.
 */
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync } from 'node:fs';
import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AttemptId, attemptText } from '@orrery/wire/frames';
import { KEPT } from '../isolation/kept-folders.ts';
import { removeAs } from '../isolation/remove-as.ts';
import type { TaskUser } from '../isolation/task-user.ts';

const HOME = 'home';

/** Only the worker's user and the task's may look into it: scripts and parameters may hold secrets. */
export class WorkFolder {
  /** Where the worker writes; undefined until it is made. */
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

  /** Where the task's processes may write: the folder itself, or with a user of its own its home. */
  get home(): string {
    const path = this.make();
    return this.user ? join(path, HOME) : path;
  }

  /** Where a task may leave its outputs as JSON; undefined while there is no folder. */
  get outputFile(): string | undefined {
    return this.path && join(this.home, 'output.json');
  }

  /** The user that files of the task must have; undefined where that is the worker's. */
  get owner(): number | undefined {
    return this.user?.uid;
  }

  /** Lets a user read what the worker has written so far, and gives it a home. Called before each of its processes. */
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

/** Removes the folder of an attempt: what is in its home with the rights of the home's owner alone. */
async function removeWork(path: string, warn: (text: string) => void): Promise<void> {
  try {
    const home = join(path, HOME);
    const { uid, gid } = await lstat(home).catch(() => ({ uid: undefined, gid: undefined }));
    if (uid !== undefined && uid !== process.geteuid?.()) {
      await removeAs({ uid, gid }, home);
      // Fails while anything is in it: what its owner cannot remove is left.
      await rmdir(home);
    }
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    warn(`cannot remove ${path}: ${error}`);
  }
}

/** Removes the folders of attempts that an earlier worker left. */
export async function clearWork(parent: string, warn: (text: string) => void): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) if (name !== KEPT) await removeWork(join(parent, name), warn);
}

/** Folders stay the worker's, so nobody else can put a link into them; files become the user's. */
function openTo(folder: string, { uid, gid }: TaskUser): void {
  chownSync(folder, -1, gid);
  chmodSync(folder, 0o750);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) lchownSync(path, uid, gid);
    else if (entry.isDirectory() && entry.name !== HOME) openTo(path, { uid, gid } as TaskUser);
  }
}
