/**
 * One preview on the command line: answered once for a person or a script (`--json`), or line by line for `--batch`.
 * Only here is the clock read.
 */
import { InvalidInput } from '@orrery/core/errors';
import { type Fields, type Preview, readFields } from '@orrery/core/preview';
import { batch } from './batch.ts';

/** A preview with the form in which people read its answers. */
export interface Question {
  answer(fields: Fields, now: number): { readonly json: object; text(): string };
  readonly fields: readonly string[];
}

/** Joins a preview and its text. */
export function question<Answer extends object>(
  preview: Preview<Answer>,
  text: (answer: Answer, fields: Fields) => string,
): Question {
  return {
    fields: preview.fields,
    answer(fields, now) {
      const json = preview.answer(fields, now);
      return { json, text: () => text(json, fields) };
    },
  };
}

/** The output options of a preview. */
export interface Mode {
  readonly json?: boolean;
  readonly batch?: boolean;
}

/** Answers the command line, or with `--batch` every line of standard input. */
export async function runPreview(
  { fields, answer }: Question,
  values: Record<string, unknown>,
  label: (name: string) => string,
  mode: Mode,
): Promise<void> {
  if (!mode.batch) {
    const { json, text } = answer(readFields(values, label), Date.now());
    console.log(mode.json ? JSON.stringify(json) : text());
    return;
  }
  const given = Object.keys(values).find((name) => values[name] !== undefined);
  if (given !== undefined) {
    throw new InvalidInput('not with --batch, which reads it from standard input', label(given));
  }
  await batch(process.stdin, process.stdout, (line) => {
    for (const name of Object.keys(line)) {
      if (fields.includes(name)) continue;
      throw new InvalidInput(`unknown; a line may have ${fields.join(', ')}`, name);
    }
    return answer(readFields(line, String), Date.now()).json;
  });
}
