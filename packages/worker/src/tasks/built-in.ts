/** The task types that every worker has. */
import type { LoadedPlugin } from '../plugin/registry.ts';
import { type NodeTaskOptions, nodeTask } from './node.ts';
import { noop } from './noop.ts';
import { shellTask } from './shell.ts';

/** Made for one worker, since where code is found is its own setting. */
export function builtInTasks(options: NodeTaskOptions): LoadedPlugin[] {
  const plugins = [shellTask(options.codeFolder), nodeTask(options), noop];
  return plugins.map((plugin) => ({ plugin, from: 'Orrery' }));
}
