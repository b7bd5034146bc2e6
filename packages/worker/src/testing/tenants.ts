/**
 * Workers that isolate tasks, for tests: users that every Linux has, and a work folder that they can reach.
 */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerSettings } from '../config.ts';
import type { IsolationMode } from '../isolation/launch.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Whether tests may isolate tasks. If not, they assert that the worker refuses. */
export const isRoot = process.geteuid?.() === 0;

/** Two tenants; the second is for project `shop` only. */
export const TENANT = 'daemon';
export const OTHER_TENANT = 'games';

/** A tenant whose processes on this machine a test kills. */
export const DOOMED_TENANT = 'news';

/** The settings of a worker that isolates tasks. */
export function isolated(isolation: IsolationMode): Partial<WorkerSettings> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  return {
    isolation,
    tenants: [TENANT, DOOMED_TENANT, `${OTHER_TENANT}:shop`],
    taskUser: 'nobody',
    work: join(folder, 'work'),
  };
}
