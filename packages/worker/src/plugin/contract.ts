/**
 * What a task type is: a name, a schema of its settings, and a function that runs an attempt. Built-in types and
 * users' plugins are made alike. A plugin runs inside the worker; heavy or foreign work belongs into `exec`.
 */
import type { AttemptId } from '@orrery/wire/frames';
import type { z } from 'zod';

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
  /** Absent unless the task is split into shards. */
  readonly shard: ShardInfo | undefined;
  /** Aborted when the attempt is to end early: `run` should then throw or return soon. */
  readonly signal: AbortSignal;
  /** A folder of the attempt's own, made when first asked for and removed when the attempt has ended. */
  readonly workDir: string;
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
  /** Waits; throws when the attempt is to end. */
  sleep(milliseconds: number): Promise<void>;
}

/** A task type. */
export interface Plugin<Schema extends z.ZodType = z.ZodType> {
  /** What a task gives as its `type`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Checks and completes a task's `with`; the console makes a form of it. */
  readonly schema: Schema;
  /** Runs an attempt: returning is success, throwing is failure. */
  run(context: TaskContext<z.output<Schema>>): void | Promise<void>;
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
