/** Errors of the store: refusals and failures. */
import { english, type Said, type Words } from '@orrery/core/texts';

/**
 * The caller's epoch is over: a newer process has its name, or it was fenced. It must stop acting at once.
 */
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

/** The request contradicts stored data, for example a taken name or an outdated version. */
export class Conflict extends Error {
  readonly tag = 'conflict';
  /** The runs that caused the refusal of a batch. */
  readonly runs: readonly number[];
  readonly said: Said | undefined;

  constructor(words: Words, runs: readonly number[] = []) {
    super(english(words));
    this.said = typeof words === 'string' ? undefined : words;
    this.runs = runs;
  }
}

/** The requested thing does not exist. */
export class NotFound extends Error {
  readonly tag = 'not-found';
  readonly said: Said | undefined;

  constructor(words: Words) {
    super(english(words));
    this.said = typeof words === 'string' ? undefined : words;
  }
}

/** Stored data cannot be read, or the database rejects a value: a retry would fail again. */
export class BadEntry extends Error {
  readonly tag = 'bad-entry';
  /** The run it belongs to, if several were requested. */
  readonly run: number | undefined;

  constructor(message: string, run?: number) {
    super(message);
    this.run = run;
  }
}

/** SQLite result codes for a bad value: too big, violates a constraint, wrong type, out of range. */
const refused = new Set([18, 19, 20, 25]);

/** Whether an error means a bad value, not a failure of the database or the machine. */
export function isBadEntry(error: unknown): error is Error {
  if (error instanceof BadEntry) return true;
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (code === 'ERR_SQLITE_ERROR') return errcode !== undefined && refused.has(errcode & 0xff);
  // PostgreSQL: data exceptions, constraints, program limits.
  return typeof code === 'string' && /^(22|23|54)...$/.test(code);
}

/** The database does not answer or cannot write. Whether the last commit succeeded may be unknown. */
export class StoreAway extends Error {
  readonly tag = 'store-away';
  /** Whether the operation may have committed. */
  readonly unknown: boolean;

  constructor(message: string, unknown: boolean, cause?: unknown) {
    super(message, { cause });
    this.unknown = unknown;
  }
}

/** Whether the server may answer later. A refused login and a missing or read-only database are permanent. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof StoreAway)) return false;
  const { code, message = '' } = (error.cause ?? {}) as { code?: string; message?: string };
  if (code === undefined) return !message.includes('SSL');
  return !/^(28|3D|25)/.test(code);
}
