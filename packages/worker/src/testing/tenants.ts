/** Workers that isolate tasks, for tests: users that every Linux has, and a work folder that they can reach. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerSettings } from '../config.ts';
import type { IsolationMode } from '../isolation/launch.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Whether tests may isolate tasks; where they may not they assert that the worker refuses. */
export const isRoot = process.geteuid?.() === 0;

/** Two tenants; the second one is for project `shop` alone. */
export const TENANT = 'daemon';
export const OTHER_TENANT = 'games';

/** One whose processes a test kills, all on this machine. */
export const DOOMED_TENANT = 'news';

/** What makes a worker isolate tasks. */
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
