/** The forms that start a run: fields typed from what the workflow declares, and the command that does the same. */
import { quoted } from './again.ts';

/** A parameter as a workflow declares it. */
export interface Declared {
  readonly type: string;
  readonly default?: string;
  readonly required: boolean;
  readonly options?: readonly string[];
  readonly description?: string;
}

/** Text as it was typed, by name; absent where the field was not touched. */
export type Typed = Readonly<Record<string, string>>;

/** Values to send: what was typed and differs from the default, which the server knows itself. */
export function givenValues(
  declared: Readonly<Record<string, Declared>>,
  typed: Typed,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(typed).filter(
      ([name, value]) => Object.hasOwn(declared, name) && value !== declared[name].default,
    ),
  );
}

const shapes: Readonly<Record<string, RegExp>> = {
  integer: /^[+-]?\d+$/,
  number: /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  boolean: /^(true|false)$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  time: /^\d{2}:\d{2}(:\d{2})?$/,
};

/** The error in a field; the server decides finally. Placeholders are resolved when a task runs. */
export function fault(
  { type, required, options }: Declared,
  value: string,
): 'missing' | 'type' | 'option' | null {
  if (value === '') return required ? 'missing' : null;
  if (/\$[[{]/.test(value)) return null;
  if (options && !options.includes(value)) return 'option';
  if (type === 'list' || type === 'json') return isJson(value, type === 'list') ? null : 'type';
  const shape = shapes[type];
  return shape && !shape.test(value) ? 'type' : null;
}

function isJson(text: string, list: boolean): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return !list || Array.isArray(value);
  } catch {
    // A list may also be written as words with commas.
    return list && !/^\s*\[/.test(text);
  }
}

/** What else a run is started with. */
export interface RunChoices {
  readonly workflow: string;
  /** Its draft instead of its live version. */
  readonly draft?: true;
  readonly params: Readonly<Record<string, string>>;
  readonly businessTime?: string;
  readonly priority?: string;
  readonly dryRun?: true;
  /** Another part of the graph. */
  readonly scope?: { readonly kind: string; readonly tasks: readonly string[] };
  /** It counts although it is a dry run or runs only some tasks. */
  readonly counts?: true;
}

/** The line that starts the same run from a shell. */
export function runLine({ workflow, draft, ...choices }: RunChoices): string {
  const what = [quoted(workflow.replace(/^default\//, '')), ...(draft ? ['--draft'] : [])];
  return ['orrery', 'run', ...what, ...flagsOf(choices)].join(' ');
}

/** What a replay changes of what its run was started with. */
interface ReplayChoices extends Omit<RunChoices, 'workflow' | 'dryRun'> {
  readonly version: 'same' | 'latest';
  readonly dryRun?: boolean;
}

/** The line that replays a run from a shell. */
export function replayLine(run: number, { version, ...choices }: ReplayChoices): string {
  const latest = version === 'latest' ? ['--latest'] : [];
  return ['orrery', 'runs', 'replay', run, ...latest, ...flagsOf(choices)].join(' ');
}

function flagsOf({
  params,
  businessTime,
  priority,
  dryRun,
  scope,
  counts,
}: Omit<ReplayChoices, 'version'>): string[] {
  return [
    ...Object.entries(params).flatMap(([name, value]) => ['--param', quoted(`${name}=${value}`)]),
    ...(businessTime ? ['--business-time', quoted(businessTime)] : []),
    ...(priority ? ['--priority', priority] : []),
    ...(scope ? [`--${scope.kind}`, ...scope.tasks.map(quoted)] : []),
    ...(dryRun === undefined ? [] : [dryRun ? '--dry-run' : '--no-dry-run']),
    ...(counts ? ['--counts'] : []),
  ];
}

/** A value that a replay would have where the run had another; absent on the side that does not have it. */
export interface Difference {
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
}

/** The parameters of one version, and the values given to them. */
interface Valued {
  readonly declared: Readonly<Record<string, Declared>>;
  readonly params: Typed;
}

/** What differs between a run and its replay, defaults included: those may differ between two versions. */
export function differences(before: Valued, after: Valued): Difference[] {
  const names = new Set([...Object.keys(before.declared), ...Object.keys(after.declared)]);
  return [...names]
    .map((name) => ({ name, before: valueIn(before, name), after: valueIn(after, name) }))
    .filter((one) => one.before !== one.after);
}

function valueIn({ declared, params }: Valued, name: string): string | undefined {
  return Object.hasOwn(declared, name) ? (params[name] ?? declared[name].default) : undefined;
}
