/** A list of runs: what its filter means for runs that come in live, and the same list as commands. */
import { quoted } from './again.ts';

/** The filter of a list, as the address and the API write it. */
export interface RunsFilter {
  readonly project?: string;
  readonly workflow?: string;
  readonly state?: readonly string[];
  readonly trigger?: readonly string[];
  readonly kind?: string;
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
}

/** A run as far as filters look at it. */
export interface FilteredRun {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly state: string;
  readonly trigger: string;
  readonly kind: string;
}

/** Whether a run that was just created belongs to the list. */
export function isListed(filter: RunsFilter, run: FilteredRun): boolean {
  const { project, workflow, state, trigger, kind, to, q } = filter;
  return (
    (project === undefined || run.project === project) &&
    (workflow === undefined || sameWorkflow(workflow, run)) &&
    (state === undefined || state.includes(run.state)) &&
    (trigger === undefined || trigger.includes(run.trigger)) &&
    (kind === undefined || run.kind === kind) &&
    (q === undefined || run.name.toLowerCase().includes(q.toLowerCase()) || String(run.id) === q) &&
    // A range that ends in the past has no new runs.
    to === undefined
  );
}

function sameWorkflow(wanted: string, { project, name }: FilteredRun): boolean {
  return wanted.includes('/') ? wanted === `${project}/${name}` : project === 'default' && wanted === name;
}

/** The same list as a command. */
export function runsCommand({ workflow, state, trigger, project, from, to, q }: RunsFilter): string {
  const flags = { workflow, state: state?.join(','), trigger: trigger?.join(','), project, from, to, q };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  return ['orrery runs list', ...given.map(([name, value]) => `--${name} ${quoted(value ?? '')}`)].join(' ');
}
