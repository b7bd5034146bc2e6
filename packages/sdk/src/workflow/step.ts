/**
 * A step: the type of a task and the settings of that type. `taskType` creates steps of a plugin; the types
 * that every worker has are here.
 */

/** Settings as the workflow file has them under `with`. */
export type Settings = Readonly<Record<string, unknown>>;

/**
 * What a task does. `Branch` are the ways on from it, of a step that chooses one; `Asked` are the tasks it asks about,
 * which must come directly before it. Both are for the compiler.
 */
export interface Step<Branch extends string = never, Asked extends string = never> {
  readonly type: string;
  readonly with: Settings;
  /** Of a step with branches: their names, and what puts the tasks that follow by each into the settings. */
  readonly branches?: readonly Branch[];
  readonly route?: (routes: Readonly<Record<string, readonly string[]>>) => Settings;
  /** Never there: carries a type. */
  readonly asked?: Asked;
}

/** The part of a plugin that carries the type of its settings; any result of `definePlugin` fits. */
interface PluginShape {
  readonly schema: { readonly _zod: { readonly input: unknown } };
}

/** The settings under `with`: those of a plugin, or the given type itself. */
type SettingsOf<Type> = Type extends PluginShape ? Type['schema']['_zod']['input'] : Type;

/**
 * Declares a task type of a plugin. Pass the type of its settings, or that of the plugin itself, from which
 * only the type is imported:
 *
 *     import type { plugin } from 'orrery-plugin-count-lines';
 *     const countLines = taskType<typeof plugin>('count-lines');
 */
export function taskType<Type = Settings>(type: string): (settings: SettingsOf<Type>) => Step {
  return (settings) => ({ type, with: { ...(settings as Settings) } });
}

/** The settings of a shell task. */
export interface ShellSettings {
  readonly script: string;
  /** The program that reads the script; `/bin/sh` by default. */
  readonly shell?: string;
  /** The folder to run in: absolute, or below the worker's code folder. Default: a folder of the attempt's own. */
  readonly cwd?: string;
}

/** Runs a script with a shell; exit code 0 is success. */
export function shell(script: string | ShellSettings): Step {
  return { type: 'shell', with: typeof script === 'string' ? { script } : { ...script } };
}

/** The settings of a node task: a module, or in development a function as text. */
export type NodeSettings =
  | {
      /** Path of the module, below the worker's code folder. */
      readonly module: string;
      /** Name of the exported function; `default` by default. */
      readonly export?: string;
      /** Anything JSON can say; the function gets it as `args`. */
      readonly args?: unknown;
    }
  | { readonly code: string; readonly args?: unknown };

/** Calls an exported function of a module in the worker's code folder. */
export function node(settings: NodeSettings): Step {
  return { type: 'node', with: { ...settings } };
}

type HttpText = string | number | boolean;
type HttpStatus = number | `${number}-${number}`;

/** The settings of a request. At most one of `body`, `json` and `form` may be given. */
export interface HttpSettings {
  /** An http or https address. */
  readonly url: string;
  /** A connection of kind `http` whose credentials are sent; the address must be below the connection's. */
  readonly connection?: string;
  /** `GET` by default. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, HttpText>>;
  /** Added to the address. */
  readonly query?: Readonly<Record<string, HttpText | readonly HttpText[]>>;
  /** Text to send. */
  readonly body?: string;
  /** A value to send as JSON. */
  readonly json?: unknown;
  /** Fields to send as a form. */
  readonly form?: Readonly<Record<string, HttpText>>;
  /** What counts as success; `'200-299'` by default. */
  readonly status?: HttpStatus | readonly HttpStatus[];
  /** Outputs: for each name a JSON pointer into the response, such as `/data/id`. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** Which redirects to follow; `same-host` by default. */
  readonly redirects?: 'none' | 'same-host' | 'any';
  /** Bytes that an answer may have; 1 MB by default. */
  readonly maxResponse?: number;
  /** Milliseconds until the connection must be there; 10,000 by default. */
  readonly connectTimeout?: number;
  /** Milliseconds until the whole answer must be there; 60,000 by default. */
  readonly timeout?: number;
}

/** Sends one request; the status of the answer decides. A text is the address of a GET. */
export function http(request: string | HttpSettings): Step {
  return { type: 'http', with: typeof request === 'string' ? { url: request } : { ...request } };
}

/** The settings of a task that does nothing. */
export interface NoopSettings {
  /** Milliseconds to wait. */
  readonly sleep?: number;
  /** End as a failure. */
  readonly fail?: boolean;
  /** Values to hand on. */
  readonly outputs?: Readonly<Record<string, string | number | boolean | readonly unknown[]>>;
}

/** Does nothing, for a given time, and ends as its settings say: for trials. */
export function noop(settings: NoopSettings = {}): Step {
  return { type: 'noop', with: { ...settings } };
}
