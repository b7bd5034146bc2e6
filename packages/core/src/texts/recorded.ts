/**
 * Recognises English texts stored in rows: recovers their code and fields, so that they can be shown in
 * another language.
 */
import { english } from './english.ts';
import type { Code, Said } from './said.ts';

/** Kinds of texts stored in rows. */
const recordedKinds: readonly string[] = ['control', 'bulk', 'start', 'skip', 'reason', 'load'];

/** Wording stored by earlier versions. */
const earlier: Readonly<Record<string, string>> = {
  'control.noRun': 'there is no such run',
  'control.asked': 'a {control} has been asked for already',
  'control.late': 'the run ended while this was under way; ask again',
  'control.noTask': 'there is no task "{task}" in this workflow',
  'control.noAnswer': 'the task does not wait for an answer, or no longer',
  'control.taskNotWaiting':
    'the task is neither delayed nor waiting to retry nor for a slot of its task group',
};

interface Form {
  readonly code: Code;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

let known: { readonly plain: ReadonlyMap<string, Said>; readonly forms: readonly Form[] } | undefined;

/** The code and fields of a stored text; undefined if it is not from the table, such as a person's words. */
export function recognize(text: string): Said | undefined {
  known ??= readForms();
  const plain = known.plain.get(text);
  if (plain) return plain;
  for (const { code, pattern, names } of known.forms) {
    const found = pattern.exec(text);
    if (found) return { code, fields: Object.fromEntries(names.map((name, i) => [name, found[i + 1]])) };
  }
  return undefined;
}

function readForms(): NonNullable<typeof known> {
  const plain = new Map<string, Said>();
  const forms: Form[] = [];
  for (const [code, text] of [...Object.entries(english), ...Object.entries(earlier)] as [Code, string][]) {
    // A text with a choice, or one that starts with a placeholder, cannot be recognised reliably.
    if (!recordedKinds.includes(code.split('.', 1)[0]) || /[{]\w+,/.test(text)) continue;
    const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    if (names.length === 0) plain.set(text, { code, fields: {} });
    else forms.push({ code, names, pattern: patternOf(text) });
  }
  return { plain, forms };
}

function patternOf(text: string): RegExp {
  const parts = text.split(/\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('([^]+?)')}$`);
}
