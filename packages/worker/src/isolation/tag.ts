/**
 * The tag of an isolated process: a supplementary group id that nobody else has. Unlike its environment, session or
 * parent a process cannot shed it without the right to set groups, so everything that an attempt has started is found
 * by it. Grid schedulers have done so for decades. A file per tag records it for whoever cleans up later.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMark } from '../guard/guard-mark.ts';

/** Above what systems give to people, below where some programs take a number for negative. */
const FIRST = 0x7000_0000;
const COUNT = 0x0fff_ffff;

/** A recorded tag. */
export interface TagRecord {
  readonly tag: number;
  readonly mark: string;
}

/** A tag that no process has, as far as chance goes. */
export function freshTag(): number {
  return FIRST + randomInt(COUNT);
}

/** Whether a group id may be a tag: any other must never get a process killed. */
function isTag(gid: number): boolean {
  return gid >= FIRST && gid < FIRST + COUNT;
}

/** Records a tag before anything runs with it. Throws where that is not possible: then nothing may run with it. */
export function recordTag(folder: string, { tag, mark }: TagRecord): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(folder, tag), mark, { mode: 0o600 });
}

/** Forgets a tag that no process has any more. */
export function eraseTag(folder: string, tag: number): void {
  try {
    rmSync(fileOf(folder, tag), { force: true });
  } catch {}
}

/** All tags recorded in a folder. */
export function recordedTags(folder: string): TagRecord[] {
  const records: TagRecord[] = [];
  for (const name of namesIn(folder)) {
    const tag = Number(/^tag\.(\d+)$/.exec(name)?.[1] ?? 0);
    const mark = isTag(tag) ? read(join(folder, name)) : undefined;
    if (mark !== undefined && isMark(mark)) records.push({ tag, mark });
  }
  return records;
}

/** The tags of a process; none for one that is gone. Zombies have none. */
export function tagsOf(pid: number): number[] {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined || /^State:\s+[ZX]/m.test(status)) return [];
  const groups = /^Groups:\s*(.*)$/m.exec(status)?.[1] ?? '';
  return groups.split(' ').map(Number).filter(isTag);
}

function fileOf(folder: string, tag: number): string {
  return join(folder, `tag.${tag}`);
}

/** Gone meanwhile, or no such folder: nothing is recorded. A system short of files must not look like that. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EMFILE' || code === 'ENFILE') throw error;
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
