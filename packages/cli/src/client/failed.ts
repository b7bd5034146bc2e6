/** A failure that one line explains: nothing is wrong with the input, and nothing with the program. */

/** Printed as one line on standard error, with exit code 1. */
export class Failed extends Error {
  readonly tag = 'failed';
}
