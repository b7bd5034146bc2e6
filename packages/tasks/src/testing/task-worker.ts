/** A worker in the test's own process that has the task types of this package. */
import { join } from 'node:path';
import { temporaryFolder } from '@orrery/worker/testing/temporary-folder';
import { start } from '@orrery/worker/testing/test-worker';
import { taskPlugins } from '../index.ts';
import type { Places } from '../places.ts';

/** Starts one that ends with the test. */
export async function startTaskWorker(
  settings: Parameters<typeof start>[0] = {},
  places: Partial<Places> = {},
) {
  const codeFolder = temporaryFolder();
  const bundled = taskPlugins({ codeFolder, cacheFolder: join(codeFolder, 'cache'), ...places });
  return { ...(await start({ bundled, codeFolder, killGrace: 8_000, ...settings })), codeFolder };
}
