/**
 * Errors of the rules: tagged values with fields. Callers branch on `tag`, never on the text; the API and the
 * CLI each map a tag to a status or an exit code in one place.
 */

import { english, type Said, said, type Words } from './texts/index.ts';

/** Unacceptable input. The message says what is wrong and what is accepted; `at` says where. */
export class InvalidInput extends Error {
  readonly tag = 'invalid-input';
  /** What is wrong, without the place. */
  readonly words: Words;
  readonly at: string | undefined;

  constructor(words: Words, at?: string) {
    super(at === undefined ? english(words) : `${at}: ${english(words)}`);
    this.words = words;
    this.at = at;
  }

  /** The same as a text to embed in another; undefined if its words come from no table. */
  get said(): Said | undefined {
    if (typeof this.words === 'string') return undefined;
    return this.at === undefined ? this.words : said('input.at', { at: this.at, what: this.words });
  }
}

/** An event that a state does not accept: always a bug or a stale caller, never ignored. */
export class IllegalTransition extends Error {
  readonly tag = 'illegal-transition';
  readonly machine: string;
  readonly state: string;
  readonly event: string;

  constructor(machine: string, state: string, event: string) {
    super(`${machine}: event "${event}" is not allowed in state "${state}"`);
    this.machine = machine;
    this.state = state;
    this.event = event;
  }
}
