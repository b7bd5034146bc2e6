/** What a workflow finds where it is published: names that it may use without declaring them. Plain data, for threads. */

/** The names there are. */
export interface Surroundings {
  readonly params?: {
    /** Of all projects. */
    readonly shared: readonly string[];
    readonly projects: Readonly<Record<string, readonly string[]>>;
  };
  /** By name, with the worker groups and the projects that each is for; none: for all. */
  readonly environments?: Readonly<
    Record<string, { readonly workerGroups: readonly string[]; readonly projects?: readonly string[] }>
  >;
  /** The worker groups that are kept to projects, with those. */
  readonly workerGroups?: Readonly<Record<string, readonly string[]>>;
  /** The task groups of each project. */
  readonly taskGroups?: Readonly<Record<string, readonly string[]>>;
  /** The calendars of each project. */
  readonly calendars?: Readonly<Record<string, readonly string[]>>;
}

/** The project that a file names, if it can be read. */
export function projectOf({ project = 'default' }: Readonly<Record<string, unknown>>): string {
  return typeof project === 'string' ? project : '';
}
