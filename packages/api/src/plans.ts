/** Compiled workflow versions by run; a version never changes, so what is known stays true. */
import { compile, type Plan, planOf, type RunRequest } from '@orrery/core/run';
import type { Store } from '@orrery/store';
import { Refusal } from './problem.ts';

/** Versions kept at most; the one unused for longest goes first. */
const KEPT = 100;

/** Reads a version once and keeps it while it is asked for. */
export class Plans {
  private readonly store: Store;
  private readonly known = new Map<string, Plan>();

  constructor(store: Store) {
    this.store = store;
  }

  /** The plan that a run walks. */
  async of(workflow: number, version: number, request: Pick<RunRequest, 'backfill'>): Promise<Plan> {
    return planOf(await this.get(workflow, version), request);
  }

  /** The plan of a version of a workflow. */
  async get(workflow: number, version: number): Promise<Plan> {
    const key = `${workflow}.${version}`;
    const known = this.known.get(key);
    if (known) {
      this.known.delete(key);
      this.known.set(key, known);
      return known;
    }
    const found = await this.store.readWorkflow({ id: workflow, version });
    if (!found) throw new Refusal('not-found', 'the workflow of this run is gone');
    const plan = compile(found.workflow);
    this.known.set(key, plan);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= KEPT) break;
      this.known.delete(oldest);
    }
    return plan;
  }
}
