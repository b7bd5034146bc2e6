/**
 * What decides whether an earlier result of a task may be used again: the task and its version, the parameters it
 * reads, its environment and the files it was given. A parameter that it does not read plays no part.
 */
import { references } from './template.ts';

/** The inputs of one task, as they are at dispatch. */
export interface CacheInputs {
  project: string;
  workflow: string;
  task: string;
  version: number;
  /** Every text of the task that is expanded: script, arguments, settings. */
  templates: readonly string[];
  value(name: string): string | undefined;
  environment?: string;
  /** Checksums by file name. */
  files?: Readonly<Record<string, string>>;
}

/** The inputs as one text: equal texts mean equal inputs. Callers store a hash of it. */
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
