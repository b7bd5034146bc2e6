/** Cache of compiled workflow versions. A version never changes, so an entry never goes stale. */
import { compile, type Plan, planOf, type RunRequest } from '@orrery/core/run';
import { BadEntry, NotFound } from '../errors.ts';
import type { Store } from '../store.ts';

/** Reads a version once, also for concurrent callers, and caches it. */
export class Plans {
  private readonly store: Pick<Store, 'readWorkflow'>;
  private readonly kept: number;
  private readonly known = new Map<string, Promise<Plan>>();

  /** Caches at most `kept` versions and evicts the least recently used. */
  constructor(store: Pick<Store, 'readWorkflow'>, kept: number) {
    this.store = store;
    this.kept = kept;
  }

  /** The plan that a run walks. */
  async of(run: {
    readonly workflow: number;
    readonly version: number;
    readonly request: Pick<RunRequest, 'backfill'>;
  }): Promise<Plan> {
    const plan = await this.get(run.workflow, run.version);
    return orBad(() => planOf(plan, run.request), 'what it was started with is no plan');
  }

  /** The plan of a version of a workflow. */
  get(workflow: number, version: number): Promise<Plan> {
    const key = `${workflow}:${version}`;
    let plan = this.known.get(key);
    if (plan) this.known.delete(key);
    else {
      plan = this.read(workflow, version);
      // A failed read is not cached.
      plan.catch(() => this.known.delete(key));
    }
    this.known.set(key, plan);
    if (this.known.size > this.kept) this.known.delete(this.known.keys().next().value ?? '');
    return plan;
  }

  private async read(workflow: number, version: number): Promise<Plan> {
    const found = await this.store.readWorkflow({ id: workflow, version });
    if (!found) throw new NotFound(`workflow ${workflow} has no version ${version}: it is gone`);
    return orBad(() => compile(found.workflow), `version ${version} of workflow ${workflow} is no plan`);
  }
}

/** A stored workflow that cannot be compiled never will be: a bad entry. */
function orBad(make: () => Plan, what: string): Plan {
  try {
    return make();
  } catch (error) {
    throw new BadEntry(`${what}: ${(error as Error).message}`);
  }
}
