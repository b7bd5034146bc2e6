/**
 * The cache key of a task's result: the task and its version, the parameters it reads, its environment and
 * its input files. Parameters it does not read are not part of the key.
 */
import { references } from './template.ts';

/** Inputs of a task at dispatch. */
export interface CacheInputs {
  project: string;
  workflow: string;
  task: string;
  version: number;
  /** All texts of the task that are expanded: script, arguments, settings. */
  templates: readonly string[];
  value(name: string): string | undefined;
  environment?: string;
  /** Checksums by file name. */
  files?: Readonly<Record<string, string>>;
}

/** The inputs as one text: equal texts mean equal inputs. Callers store its hash. */
export function cacheInputText(inputs: CacheInputs): string {
  const names = [...new Set(inputs.templates.flatMap(references))].sort();
  return JSON.stringify([
    inputs.project,
    inputs.workflow,
    inputs.task,
    inputs.version,
    inputs.templates,
    names.map((name) => [name, inputs.value(name) ?? null]),
    inputs.environment ?? null,
    Object.entries(inputs.files ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
}
