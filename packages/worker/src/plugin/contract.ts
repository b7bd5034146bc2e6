/**
 * What a task type is: a name, a schema of its settings, and a function that runs an attempt. Built-in types and
 * users' plugins are made alike. A plugin runs inside the worker; heavy or foreign work belongs into `exec`.
 */
import type { AttemptId, ConnectionSettings } from '@orrery/wire/frames';
import type { z } from 'zod';
import type { KeptFolders } from '../isolation/kept-folders.ts';

/** A value that a task may hand on; anything but a text becomes JSON text. */
export type OutputValue =
  | string
  | number
  | boolean
  | readonly unknown[]
  | { readonly [name: string]: unknown };

/** The shard an attempt works on. */
export interface ShardInfo {
  readonly index: number;
  readonly count: number;
  /** Empty unless the task gives its shards parameters. */
  readonly parameter: string;
}

/** How to run a process. */
export interface ExecOptions {
  /** Default: the work folder. */
  readonly cwd?: string;
  /** On top of what every process of the attempt gets. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What an attempt is run with. */
export interface TaskContext<Settings> {
  /** The task's `with`, as the schema returned it. */
  readonly with: Settings;
  /** Every parameter the task can read, as text. */
  readonly params: Readonly<Record<string, string>>;
  readonly attempt: AttemptId;
  readonly project: string;
  readonly workflow: string;
  readonly taskName: string;
  /** When the task began in this round of its run, in milliseconds of the epoch. */
  readonly taskStarted: number;
  /** Absent unless the task is split into shards. */
  readonly shard: ShardInfo | undefined;
  /** Aborted when the attempt is to end early: `run` should then throw or return soon. */
  readonly signal: AbortSignal;
  /**
   * A folder of the attempt's own, made when first asked for and removed when the attempt has ended. The attempt's
   * processes can read what is written there before they start; they write to `ORRERY_WORK_DIR`, which is another folder
   * where tasks run as their tenant's user.
   */
  readonly workDir: string;
  /**
   * The text of a file that a process left in its `ORRERY_WORK_DIR`, at most 8 MB; undefined where there is none. Throws a
   * failure for anything but a file of the task's own: do not read there otherwise, since a task may leave links.
   */
  readBack(name: string): string | undefined;
  /**
   * Folders that later attempts may use, such as caches that processes of the task fill: below `folder`, or where tasks run
   * as users of their own, below a folder for this task's user alone.
   */
  keep(folder: string): KeptFolders;
  /** Tasks of this worker run as users of their own, who may read and write less than the worker. */
  readonly isIsolated: boolean;
  /** A path that the plugin opens itself, with the rights of the worker: a fatal failure where tasks are isolated. */
  hostPath(path: string): string;
  /**
   * A connection of the project that the task names under `connection` or `connections`, secrets put in. Throws a fatal
   * failure where there is none of that name. Its secrets are masked in the log; keep them out of files and arguments.
   */
  connection(name: string): ConnectionSettings;
  /** Writes a line to the attempt's log. */
  log(line: string): void;
  /** Writes a line marked as one about the task, not of it. */
  note(line: string): void;
  /** Hands a value on to later tasks; the last one of a name counts. */
  output(name: string, value: OutputValue): void;
  /**
   * Runs a process behind the attempt's guard, its output in the log, and answers its exit code when nothing of it
   * is left. When the attempt is to end it is stopped, and this throws.
   */
  exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<number>;
  /**
   * The handle of what an earlier attempt has started on another system and left running, since its worker was lost or
   * stopped: go on with that. Undefined where there is nothing to go on with.
   */
  readonly handle?: string;
  /**
   * Has a handle of at most 4 KB kept by the masters, and settles once they have committed it: call it before what it
   * names is started, or as soon as its name is known. When the attempt fails or is killed, `end` gets the handle; when it
   * succeeds, the handle is dropped; when its worker is lost, the next attempt gets it as `handle`. What does not outlive
   * the worker is ended with it, and left to the next attempt only where the worker could not do that.
   */
  hold(handle: string, options?: { readonly outlives?: boolean }): Promise<void>;
  /** Waits; throws when the attempt is to end. */
  sleep(milliseconds: number): Promise<void>;
}

/** What a look at something awaited found: it is there, or look again after so many milliseconds, with this state. */
export type PollAnswer<State> =
  | { readonly done: true }
  | { readonly done: false; readonly after: number; readonly state: State };

/** A task type: it has either `run` or `poll`. */
export interface Plugin<Schema extends z.ZodType = z.ZodType> {
  /** What a task gives as its `type`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Checks and completes a task's `with`; the console makes a form of it. */
  readonly schema: Schema;
  /**
   * Texts under `sql` come with their references, `${name}`, for the plugin to bind to `params`. Without it the values
   * are put into the text.
   */
  readonly binds?: boolean;
  /** Runs an attempt: returning is success, throwing is failure. */
  run?(context: TaskContext<z.output<Schema>>): void | Promise<void>;
  /**
   * Looks whether something awaited is there; `state` is what the look before answered, undefined at first. An attempt
   * of such a type takes no slot of its worker. A look may take 60 s; it must be harmless to repeat, since after the
   * loss of its worker another one begins again without the state.
   */
  poll?(context: TaskContext<z.output<Schema>>, state: unknown): Promise<PollAnswer<unknown>>;
  /**
   * Ends what a handle names, within two minutes, and returns when it is over; throws where that could not be done, to be
   * tried again. It may be over already, or never have begun. Called after `run` has settled, or on another worker.
   */
  end?(context: TaskContext<z.output<Schema>>, handle: string): Promise<void>;
}

/** Makes a plugin; what it adds over an object is that `run` knows the type of its settings. */
export function definePlugin<Schema extends z.ZodType>(plugin: Plugin<Schema>): Plugin<Schema> {
  return plugin;
}

/** A failure in the plugin's own words. `fatal` means that another attempt cannot mend it: there is no retry. */
export class TaskFailure extends Error {
  readonly tag = 'task-failure';
  readonly fatal: boolean;

  constructor(message: string, { fatal = false }: { readonly fatal?: boolean } = {}) {
    super(message);
    this.name = 'TaskFailure';
    this.fatal = fatal;
  }
}
