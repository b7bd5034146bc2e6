/** The task types that every worker has. */
import type { LoadedPlugin } from '../plugin/registry.ts';
import { httpTask } from './http.ts';
import { type NodeTaskOptions, nodeTask } from './node.ts';
import { noop } from './noop.ts';
import { shellTask } from './shell.ts';

/** What the task types get from their worker. */
export interface BuiltInOptions extends NodeTaskOptions {
  /** Private hosts, addresses and ranges that `http` tasks may connect to. */
  readonly httpAllow: readonly string[];
}

/** Created per worker, since the code folder is the worker's own setting. */
export function builtInTasks(options: BuiltInOptions): LoadedPlugin[] {
  const { codeFolder, httpAllow } = options;
  const plugins = [shellTask(codeFolder), nodeTask(options), httpTask(httpAllow), noop];
  return plugins.map((plugin) => ({ plugin, from: 'Orrery' }));
}
