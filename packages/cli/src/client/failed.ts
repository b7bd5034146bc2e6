/** A failure that one line explains: nothing is wrong with the input, and nothing with the program. */

/** Told in one line on standard error, with exit code 1. */
export class Failed extends Error {
  readonly tag = 'failed';
}
