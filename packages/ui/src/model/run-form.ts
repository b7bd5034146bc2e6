/** The form that starts a run: fields typed from what the workflow declares, and the command that does the same. */

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

/** What is wrong with a field; the server has the last word. Placeholders are filled when a task runs. */
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
  readonly params: Readonly<Record<string, string>>;
  readonly businessTime?: string;
  readonly priority?: string;
  readonly dryRun: boolean;
}

/** The line that starts the same run from a shell. */
export function runLine({ workflow, params, businessTime, priority, dryRun }: RunChoices): string {
  const words = ['orrery', 'run', quoted(workflow.replace(/^default\//, ''))];
  for (const [name, value] of Object.entries(params)) words.push('--param', quoted(`${name}=${value}`));
  if (businessTime) words.push('--business-time', quoted(businessTime));
  if (priority) words.push('--priority', priority);
  if (dryRun) words.push('--dry-run');
  return words.join(' ');
}

/** A word as a POSIX shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
