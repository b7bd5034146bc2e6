/** The placeholders `$[…]` and `${…}` in the settings of tasks, each with the tasks that use it. */

/** One placeholder. */
export interface Placeholder {
  readonly text: string;
  readonly tasks: readonly string[];
}

interface Using {
  readonly name: string;
  readonly with?: unknown;
  readonly params: Readonly<Record<string, string>>;
}

/** Every placeholder once, in order of appearance. */
export function placeholdersOf(tasks: readonly Using[]): readonly Placeholder[] {
  const found = new Map<string, Set<string>>();
  for (const { name, with: settings, params } of tasks)
    for (const text of textsIn([settings, params]))
      for (const [placeholder] of text.matchAll(/\$\[[^\]\n]+\]|\$\{[^}\n]+\}/g)) {
        // Tasks hand values on by printing this; nothing is filled in.
        if (placeholder.startsWith('${setValue')) continue;
        const users = found.get(placeholder) ?? new Set();
        found.set(placeholder, users.add(name));
      }
  return [...found].map(([text, users]) => ({ text, tasks: [...users] }));
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one);
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) yield* textsIn(one);
}

/** Separates texts that are resolved together: no text of a workflow contains it. */
const BETWEEN = '\n\u241e\n';

/** Texts as one template, to be resolved by one request. */
export const joined = (texts: readonly string[]) => texts.join(BETWEEN);

/** The answer to it, text by text. */
export const parted = (answer: string) => answer.split(BETWEEN);
