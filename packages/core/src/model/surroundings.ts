/** What a workflow finds where it is published: names that it may use without declaring them. Plain data, for threads. */

/** The names there are. */
export interface Surroundings {
  readonly params?: {
    /** Of all projects. */
    readonly shared: readonly string[];
    readonly projects: Readonly<Record<string, readonly string[]>>;
  };
}

/** The project that a file names, if it can be read. */
export function projectOf({ project = 'default' }: Readonly<Record<string, unknown>>): string {
  return typeof project === 'string' ? project : '';
}
