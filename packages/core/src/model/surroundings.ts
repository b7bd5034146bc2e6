/**
 * The surroundings of a workflow where it is published: names that it may use without declaring them. Plain
 * data, for threads.
 */

/** The available names. */
export interface Surroundings {
  readonly params?: {
    /** Parameters of all projects. */
    readonly shared: readonly string[];
    readonly projects: Readonly<Record<string, readonly string[]>>;
  };
  /** Environments by name, each with its worker groups and projects; an empty list means all. */
  readonly environments?: Readonly<
    Record<string, { readonly workerGroups: readonly string[]; readonly projects?: readonly string[] }>
  >;
  /** Worker groups restricted to projects, with those projects. */
  readonly workerGroups?: Readonly<Record<string, readonly string[]>>;
  /** Task groups of each project. */
  readonly taskGroups?: Readonly<Record<string, readonly string[]>>;
  /** Calendars of each project. */
  readonly calendars?: Readonly<Record<string, readonly string[]>>;
}

/** The project named by a file, if readable. */
export function projectOf({ project = 'default' }: Readonly<Record<string, unknown>>): string {
  return typeof project === 'string' ? project : '';
}
