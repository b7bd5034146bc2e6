/** Compiled workflow versions; a version never changes, so what is known stays true. */
import { compile, type Plan, planOf, type RunRequest } from '@orrery/core/run';
import type { Store } from '@orrery/store';

/** Versions kept at most; the one unused for longest goes first. */
const KEPT = 1_000;

export class Plans {
  private readonly store: Store;
  private readonly known = new Map<string, Plan>();

  constructor(store: Store) {
    this.store = store;
  }

  /** The plan of a run; its version must exist, since the run does. */
  async of(run: {
    readonly workflow: number;
    readonly version: number;
    readonly request: Pick<RunRequest, 'backfill'>;
  }): Promise<Plan> {
    return planOf(await this.get(run.workflow, run.version), run.request);
  }

  private async get(workflow: number, version: number): Promise<Plan> {
    const key = `${workflow}:${version}`;
    const known = this.known.get(key);
    if (known) {
      this.known.delete(key);
      this.known.set(key, known);
      return known;
    }
    const found = await this.store.readWorkflow({ id: workflow, version });
    if (!found) throw new Error(`workflow ${workflow} has no version ${version}`);
    const plan = compile(found.workflow);
    this.known.set(key, plan);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= KEPT) break;
      this.known.delete(oldest);
    }
    return plan;
  }
}
