/** Why the store refuses, or cannot do, an operation. */

/** The caller's epoch is over: a newer process has its name, or it was fenced. It must stop acting at once. */
export class StaleEpoch extends Error {
  readonly tag = 'stale-epoch';
  readonly node: string;
  readonly epoch: number;

  constructor(node: string, epoch: number) {
    super(`node ${node} no longer holds epoch ${epoch}`);
    this.node = node;
    this.epoch = epoch;
  }
}

/** What was asked for contradicts what is stored: a name that is taken, a version that has moved on. */
export class Conflict extends Error {
  readonly tag = 'conflict';
  /** The runs it concerns, where a batch was refused because of some of them. */
  readonly runs: readonly number[];

  constructor(message: string, runs: readonly number[] = []) {
    super(message);
    this.runs = runs;
  }
}

/** There is no such thing. */
export class NotFound extends Error {
  readonly tag = 'not-found';
}

/** The database does not answer or cannot write. Whether the last commit took place may be unknown. */
export class StoreAway extends Error {
  readonly tag = 'store-away';
  /** True when the operation may have been committed all the same. */
  readonly unknown: boolean;

  constructor(message: string, unknown: boolean, cause?: unknown) {
    super(message, { cause });
    this.unknown = unknown;
  }
}
