/** The task types of this package for a worker process under test. */
import type { Plugin } from '@orrery/worker/plugin';
import { taskPlugins } from '../index.ts';

/** Where `startWorkerProcess` finds them. */
export const processPlugins = import.meta.filename;

/** Made for a worker in this folder; called by its process. @public */
export function pluginsIn(folder: string): Plugin[] {
  return taskPlugins({ codeFolder: folder, cacheFolder: folder });
}
