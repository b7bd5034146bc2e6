/**
 * The errors of the rules: tagged values with fields. Callers branch on `tag`, never on the text;
 * the API and the CLI each map a tag to a status or an exit code in one place.
 */

/** Input that cannot be accepted. The message says what is wrong and what is accepted; `at` says where. */
export class InvalidInput extends Error {
  readonly tag = 'invalid-input';
  readonly at: string | undefined;

  constructor(message: string, at?: string) {
    super(at === undefined ? message : `${at}: ${message}`);
    this.at = at;
  }
}

/** An event that a state does not accept: always a defect or a stale caller, never ignored. */
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
