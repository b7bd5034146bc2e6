/** Whether a run matches a filter, by what is known from its start. */
import type { Parameters } from '../model/index.ts';

/** Conditions on a run; omitted ones match any run. */
export interface StartFilter {
  readonly project?: string;
  readonly triggers?: readonly string[];
  readonly kind?: string;
  readonly versions?: readonly number[];
  /** The run that started it. */
  readonly parent?: number;
  /** It was given these values. */
  readonly params?: Parameters;
  /** It has all of these. */
  readonly tags?: readonly string[];
}

/** A run as its start created it. */
export interface StartedRun {
  readonly project: string;
  readonly trigger: string;
  readonly kind: string;
  readonly version: number;
  readonly parent?: number | null;
  readonly params: Parameters;
  readonly tags?: readonly string[];
}

/** Whether a run matches. The store has the same conditions in SQL. */
export function matchesStart(filter: StartFilter, run: StartedRun): boolean {
  const { project, triggers, kind, versions, parent, params = {}, tags = [] } = filter;
  return (
    (project === undefined || run.project === project) &&
    (triggers?.includes(run.trigger) ?? true) &&
    (kind === undefined || run.kind === kind) &&
    (versions?.includes(run.version) ?? true) &&
    (parent === undefined || run.parent === parent) &&
    Object.entries(params).every(([name, wanted]) => run.params[name] === wanted) &&
    tags.every((tag) => run.tags?.includes(tag))
  );
}
