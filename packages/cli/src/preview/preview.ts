/**
 * One preview: a question to the rules with named inputs. It is answered once for a person (`text`) or a script
 * (`json`), or line by line for `--batch`. Only here is the clock read.
 */
import { InvalidInput } from '@orrery/core/errors';
import { batch } from './batch.ts';
import { type Fields, readFields } from './fields.ts';

/** An answer in both its forms. */
interface Answer {
  readonly json: object;
  /** For people; made only when it is shown. */
  text(): string;
}

/** A kind of question. */
export interface Preview {
  /** The names a batch line may have; the first is the positional argument where there is one. */
  readonly fields: readonly string[];
  answer(fields: Fields, now: number): Answer;
}

/** How the answers are asked for. */
export interface Mode {
  readonly json?: boolean;
  readonly batch?: boolean;
}

/** Answers the command line, or with `--batch` every line of standard input. */
export async function runPreview(
  preview: Preview,
  values: Record<string, unknown>,
  label: (name: string) => string,
  mode: Mode,
): Promise<void> {
  if (!mode.batch) {
    const answer = preview.answer(readFields(values, label), Date.now());
    console.log(mode.json ? JSON.stringify(answer.json) : answer.text());
    return;
  }
  const given = Object.keys(values).find((name) => values[name] !== undefined);
  if (given !== undefined) {
    throw new InvalidInput('not with --batch, which reads it from standard input', label(given));
  }
  await batch(process.stdin, process.stdout, (line) => {
    for (const name of Object.keys(line)) {
      if (preview.fields.includes(name)) continue;
      throw new InvalidInput(`unknown; a line may have ${preview.fields.join(', ')}`, name);
    }
    return preview.answer(readFields(line, String), Date.now()).json;
  });
}
