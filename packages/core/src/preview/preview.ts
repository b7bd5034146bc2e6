/** One preview: a question to the rules with named inputs. The command line and the API ask the same ones. */
import type { Fields } from './fields.ts';

/** A kind of question. */
export interface Preview<Answer extends object = object> {
  /** The names of its inputs; the first is the positional argument on the command line, where there is one. */
  readonly fields: readonly string[];
  answer(fields: Fields, now: number): Answer;
}
