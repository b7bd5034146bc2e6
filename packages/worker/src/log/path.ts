/**
 * The path of an attempt's log: `<logs>/<workflow>/<run>/<task>[.<shard>].<attempt>.log`. After a restore of
 * the database an attempt number may run again, so each restore starts a folder: `<run>/restore-1/…`.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AttemptId } from '@orrery/wire/frames';

/** File systems allow 255 bytes in a name, and a character may take four. */
const LONGEST_NAME = 200;

/** The path of one attempt's log. `task` in it is the task's index, so a renamed task changes no path. */
export function logPath(logs: string, workflow: string, attempt: AttemptId, restores = 0): string {
  const { run, task, shard, number } = attempt;
  const file = shard < 0 ? `${task}.${number}.log` : `${task}.${shard}.${number}.log`;
  return join(logs, folderName(workflow), String(run), restores > 0 ? `restore-${restores}` : '', file);
}

function folderName(workflow: string): string {
  const safe = workflow.replace(/^\.|[^\p{L}\p{N}_.-]/gu, '%');
  if (safe === workflow && Buffer.byteLength(safe) <= LONGEST_NAME) return safe;
  const digest = createHash('sha256').update(workflow).digest('hex').slice(0, 16);
  return `${[...safe].slice(0, 40).join('')}-${digest}`;
}
