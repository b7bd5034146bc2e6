/**
 * Limits: slots held in the store while their holder is open. A holder that needs several takes all or none,
 * and waits in the list of the first full limit without holding any. So no two holders can wait for each
 * other.
 */

/** The state of a limit. */
export interface Limit {
  readonly name: string;
  readonly slots: number;
  readonly held: number;
}

/** Whether a holder may start, or which limit it waits for. */
export type Grant =
  | { readonly granted: true }
  | { readonly granted: false; readonly limit: string; readonly reason: string };

/** Requests a slot of every limit at once; a limit missing from `limits` is unbounded. */
export function ask(needed: readonly string[], limits: ReadonlyMap<string, Limit>): Grant {
  for (const name of needed) {
    const limit = limits.get(name);
    if (limit && limit.held >= limit.slots) {
      return { granted: false, limit: name, reason: `${name} is full (${limit.held} of ${limit.slots})` };
    }
  }
  return { granted: true };
}

/** Attributes of a run that determine its limits. */
export interface RunPlace {
  readonly project: string;
  readonly workflow: string;
  readonly tenant: string;
  /** Whether another run started it. */
  readonly child: boolean;
}

/**
 * The limits a run must hold, in the order of its requests. A child run is covered by its root's tenant and
 * global slots, so it takes only its own workflow's slot: a parent never waits for itself.
 */
export function limitsOfRun({ project, workflow, tenant, child }: RunPlace): string[] {
  const own = `workflow ${project}/${workflow}`;
  return child ? [own] : [own, `tenant ${tenant}`, 'all runs'];
}

/** The limit that attempts of a task group must hold. */
export function limitOfGroup(project: string, group: string): string {
  return `task group ${project}/${group}`;
}
