/**
 * A task type: a name, a schema of its settings, and a function that runs an attempt. Built-in types and
 * users' plugins have the same form. A plugin runs inside the worker; heavy or foreign work belongs in
 * `exec`.
 */
import type { AttemptId, ConnectionSettings } from '@orrery/wire/frames';
import type { z } from 'zod';
import type { KeptFolders } from '../isolation/kept-folders.ts';

/** An output value of a task; anything but a text becomes JSON text. */
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
  /** Added to the variables of every process of the attempt. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The context of an attempt. */
export interface TaskContext<Settings> {
  /** The task's `with`, as the schema returned it. */
  readonly with: Settings;
  /** Every parameter the task can read, as text. */
  readonly params: Readonly<Record<string, string>>;
  readonly attempt: AttemptId;
  readonly project: string;
  readonly workflow: string;
  readonly taskName: string;
  /** When the task started in this round of its run, in epoch milliseconds. */
  readonly taskStarted: number;
  /** Absent unless the task is split into shards. */
  readonly shard: ShardInfo | undefined;
  /** Aborted when the attempt is to end early: `run` should then throw or return soon. */
  readonly signal: AbortSignal;
  /**
   * A folder of the attempt, created on first use and removed after the attempt. The attempt's processes can
   * read what is written there before they start. They write to `ORRERY_WORK_DIR`, a different folder if
   * tasks run as their tenant's user.
   */
  readonly workDir: string;
  /**
   * The text of a file that a process left in its `ORRERY_WORK_DIR`, at most 8 MB; undefined if there is
   * none. Throws a failure for anything but a file of the task's own. Do not read there in any other way,
   * since a task may leave links.
   */
  readBack(name: string): string | undefined;
  /**
   * Folders that later attempts may use, such as caches that the task's processes fill. They are below
   * `folder`, or, if tasks run as their own users, below a folder for this task's user only.
   */
  keep(folder: string): KeptFolders;
  /** Whether this worker's tasks run as their own users, who may read and write less than the worker. */
  readonly isIsolated: boolean;
  /**
   * A path that the plugin opens itself, with the rights of the worker. Throws a fatal failure if tasks are
   * isolated.
   */
  hostPath(path: string): string;
  /**
   * A connection of the project that the task names under `connection` or `connections`, with secrets. Throws
   * a fatal failure if none has that name. Its secrets are masked in the log; keep them out of files and
   * arguments.
   */
  connection(name: string): ConnectionSettings;
  /** Writes a line to the attempt's log. */
  log(line: string): void;
  /** Writes a line about the task to the log, marked as not the task's own. */
  note(line: string): void;
  /** Sets an output for later tasks. If a name is set again, the last value wins. */
  output(name: string, value: OutputValue): void;
  /**
   * Runs a process behind the attempt's guard with its output in the log, and returns its exit code when no
   * process of it is left. If the attempt is to end, the process is stopped and this throws.
   */
  exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<number>;
  /**
   * The handle of what an earlier attempt started on another system and left running because its worker was
   * lost or stopped: continue with it. Undefined if there is nothing to continue.
   */
  readonly handle?: string;
  /**
   * Stores a handle of at most 4 KB with the masters, and settles once it is committed. Call it before you
   * start what it names, or as soon as the name is known. If the attempt fails or is killed, `end` gets the
   * handle; if it succeeds, the handle is dropped; if its worker is lost, the next attempt gets it as
   * `handle`. What does not outlive the worker ends with it, and is left to the next attempt only if the
   * worker could not end it.
   */
  hold(handle: string, options?: { readonly outlives?: boolean }): Promise<void>;
  /** Waits; throws when the attempt is to end. */
  sleep(milliseconds: number): Promise<void>;
}

/** The result of a poll: done, or poll again after this many milliseconds with this state. */
export type PollAnswer<State> =
  | { readonly done: true }
  | { readonly done: false; readonly after: number; readonly state: State };

/** A task type: it has either `run` or `poll`. */
export interface Plugin<Schema extends z.ZodType = z.ZodType> {
  /** The `type` in a task's definition. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Checks and completes a task's `with`; the console builds a form from it. */
  readonly schema: Schema;
  /**
   * If true, texts under `sql` keep their references, `${name}`, for the plugin to bind to `params`.
   * Otherwise the values are substituted into the text.
   */
  readonly binds?: boolean;
  /** Runs an attempt: returning is success, throwing is failure. */
  run?(context: TaskContext<z.output<Schema>>): void | Promise<void>;
  /**
   * Polls whether a condition holds; `state` is the result of the previous poll, undefined at first. An
   * attempt of such a type takes no slot of its worker. A poll may take 60 s. It must be safe to repeat,
   * since after the loss of its worker another one starts over without the state.
   */
  poll?(context: TaskContext<z.output<Schema>>, state: unknown): Promise<PollAnswer<unknown>>;
  /**
   * Ends what a handle names, within two minutes, and returns when it is over. Throws if that fails; it is
   * then retried. It may already be over, or never have started. Called after `run` has settled, or on
   * another worker.
   */
  end?(context: TaskContext<z.output<Schema>>, handle: string): Promise<void>;
}

/** Creates a plugin. Unlike a plain object, `run` knows the type of its settings. */
export function definePlugin<Schema extends z.ZodType>(plugin: Plugin<Schema>): Plugin<Schema> {
  return plugin;
}

/** A failure with the plugin's own message. `fatal` means that no retry can help, so there is none. */
export class TaskFailure extends Error {
  readonly tag = 'task-failure';
  readonly fatal: boolean;

  constructor(message: string, { fatal = false }: { readonly fatal?: boolean } = {}) {
    super(message);
    this.name = 'TaskFailure';
    this.fatal = fatal;
  }
}
