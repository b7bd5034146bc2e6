/**
 * The tag of an isolated process: a supplementary group id that no other attempt has. Unlike its environment,
 * session or parent, a process cannot drop it without the right to set groups, so the tag finds every process
 * of an attempt. Grid schedulers have done so for decades. A file per tag records it for a later cleanup.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMark } from '../guard/guard-mark.ts';

/** Above the ids that systems give to people, and below those that some programs read as negative. */
const FIRST = 0x7000_0000;
const COUNT = 0x0fff_ffff;

/** A recorded tag. */
export interface TagRecord {
  readonly tag: number;
  readonly mark: string;
}

/** A random tag that no process is likely to have. */
export function freshTag(): number {
  return FIRST + randomInt(COUNT);
}

/** Whether a group id may be a tag. A process must never be killed for any other. */
function isTag(gid: number): boolean {
  return gid >= FIRST && gid < FIRST + COUNT;
}

/** Records a tag before any process has it. Throws if that fails; the tag must then not be used. */
export function recordTag(folder: string, { tag, mark }: TagRecord): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(folder, tag), mark, { mode: 0o600 });
}

/** Deletes the record of a tag that no process has. */
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

/** The tags of a process. Ended processes and zombies have none. */
export function tagsOf(pid: number): number[] {
  const status = read(`/proc/${pid}/status`);
  if (status === undefined || /^State:\s+[ZX]/m.test(status)) return [];
  const groups = /^Groups:\s*(.*)$/m.exec(status)?.[1] ?? '';
  return groups.split(' ').map(Number).filter(isTag);
}

function fileOf(folder: string, tag: number): string {
  return join(folder, `tag.${tag}`);
}

/**
 * An ended process or a missing folder: nothing is recorded. Lack of file descriptors must not look like
 * that.
 */
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
