/**
 * Guard marks: a text in the environment of every process of an attempt, by which the process is found. Marks
 * nest, so a prefix selects all processes of a folder, of a worker, or of one life of a worker:
 * `<folder>/<worker>/<life>/<kill|keep>/<attempt>/<process>`.
 */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type AttemptId, attemptText } from '@orrery/wire/frames';

const SHAPE =
  /^[0-9a-f]{16}\/(?:[\w.!~*'()-]|%[0-9A-F]{2})+\/[0-9a-f]+\/(?:kill|keep)\/\d+\.\d+(?:s\d+)?\.\d+\/\d+$/;

/** Whether a text is a mark. Processes and records with any other text are not ours and must never be killed. */
export function isMark(text: string): boolean {
  return SHAPE.test(text);
}

/** The prefix of the marks of all workers that keep their state in this folder, by whatever links it is reached. */
export function marksOfFolder(folder: string): string {
  return `${createHash('sha256')
    .update(withoutLinks(resolve(folder)))
    .digest('hex')
    .slice(0, 16)}/`;
}

/** The path without links; of a folder that is gone, as much of it as exists. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (path === dirname(path)) throw error;
    return join(withoutLinks(dirname(path)), basename(path));
  }
}

/**
 * The prefix of the marks of one worker in all its lives. It names the folder too: another cluster may have a worker
 * of the same name on this machine.
 */
export function marksOfWorker(name: string, folder: string): string {
  return `${marksOfFolder(folder)}${encodeURIComponent(name)}/`;
}

/** The prefix of the marks of one life of a worker; `life` is a hexadecimal number, never used twice. */
export function marksOfLife(marksOfWorker: string, life: string): string {
  return `${marksOfWorker}${life}/`;
}

/** The prefix of the marks of attempts that end when the worker loses contact with its masters. */
export function marksWithoutKeep(marksOfLife: string): string {
  return `${marksOfLife}kill/`;
}

/** The mark of one process of an attempt; `process` counts them from 0. */
export function processMark(
  marksOfLife: string,
  attempt: AttemptId,
  onLostContact: 'kill' | 'keep',
  process: number,
): string {
  return `${marksOfLife}${onLostContact}/${attemptText(attempt)}/${process}`;
}
