/** One preview: applies rules to named inputs. The command line and the API share them. */
import type { Fields } from './fields.ts';

/** A kind of preview. */
export interface Preview<Answer extends object = object> {
  /** Names of its inputs; the first is the positional argument on the command line, if there is one. */
  readonly fields: readonly string[];
  answer(fields: Fields, now: number): Answer;
}
