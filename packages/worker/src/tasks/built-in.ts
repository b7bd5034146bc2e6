/** The task types that every worker has. */
import type { LoadedPlugin } from '../plugin/registry.ts';
import { httpTask } from './http.ts';
import { type NodeTaskOptions, nodeTask } from './node.ts';
import { noop } from './noop.ts';
import { shellTask } from './shell.ts';

/** What they take from their worker. */
export interface BuiltInOptions extends NodeTaskOptions {
  /** Hosts, addresses and ranges of the inside that `http` tasks may connect to. */
  readonly httpAllow: readonly string[];
}

/** Made for one worker, since where code is found is its own setting. */
export function builtInTasks(options: BuiltInOptions): LoadedPlugin[] {
  const { codeFolder, httpAllow } = options;
  const plugins = [shellTask(codeFolder), nodeTask(options), httpTask(httpAllow), noop];
  return plugins.map((plugin) => ({ plugin, from: 'Orrery' }));
}
