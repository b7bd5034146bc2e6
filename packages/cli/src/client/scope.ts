/** Which part of a workflow a run walks: `--from`, `--to` or `--only`, each with tasks. */
import { InvalidInput } from '@orrery/core/errors';

/** The options that choose it. */
export interface ScopeOptions {
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly only?: readonly string[];
}

/** The scope for the API; undefined for the whole workflow. */
export function scopeOf({
  from,
  to,
  only,
}: ScopeOptions): { kind: keyof ScopeOptions; tasks: readonly string[] } | undefined {
  const given = (
    Object.entries({ from, to, only }) as [keyof ScopeOptions, readonly string[] | undefined][]
  ).flatMap(([kind, tasks]) => (tasks ? [{ kind, tasks }] : []));
  if (given.length > 1) throw new InvalidInput('give one of --from, --to and --only');
  return given[0];
}
