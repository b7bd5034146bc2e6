/** The answers of the API that commands look into. */

/** A run in a list. */
export interface RunRow {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly version: number;
  readonly trigger: string;
  readonly state: string;
  readonly owner: string | null;
  readonly businessTime: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** A task run of a run. */
export interface TaskRow {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly since: string | null;
  readonly attempt: number;
  readonly worker: string | null;
  readonly reason: string | null;
}

/** A run without its task runs. */
export interface RunHead extends RunRow {
  readonly since: string;
  readonly reason?: string | null;
  readonly round?: number;
  readonly priority: string;
  readonly params: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
  readonly ahead?: number;
  readonly requested?: readonly { readonly name: string; readonly by: string; readonly at: string }[];
  readonly why: Why;
}

/** A run with its task runs. */
export interface RunPage extends RunHead {
  readonly tasks: readonly TaskRow[];
  readonly nextTasks: string | null;
}

/** Why something is where it is. */
export interface Why {
  readonly id: string;
  readonly state: string;
  readonly since: string | null;
  readonly why: string;
  readonly frees: string | null;
}

/** An attempt of a task run. */
export interface AttemptRow {
  readonly id: string;
  readonly shard: number | null;
  readonly number: number;
  readonly state: string;
  readonly endedAt: string | null;
}

/** States in which nothing more happens to a run by itself. */
export const endedStates: readonly string[] = ['success', 'failed', 'stopped', 'broken'];

/** States in which nothing more happens to a task run by itself. */
export const endedTaskStates: readonly string[] = [
  'success',
  'failed',
  'killed',
  'skipped',
  'passed',
  'excluded',
];
