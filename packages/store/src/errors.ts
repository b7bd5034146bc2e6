/** Why the store refuses, or cannot do, an operation. */
import { english, type Said, type Words } from '@orrery/core/texts';

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
  readonly said: Said | undefined;

  constructor(words: Words, runs: readonly number[] = []) {
    super(english(words));
    this.said = typeof words === 'string' ? undefined : words;
    this.runs = runs;
  }
}

/** What was asked for does not exist. */
export class NotFound extends Error {
  readonly tag = 'not-found';
  readonly said: Said | undefined;

  constructor(words: Words) {
    super(english(words));
    this.said = typeof words === 'string' ? undefined : words;
  }
}

/** What is stored cannot be read, or the database does not take a value: to try it again would find the same. */
export class BadEntry extends Error {
  readonly tag = 'bad-entry';
  /** The run that it is of, where several were asked for. */
  readonly run: number | undefined;

  constructor(message: string, run?: number) {
    super(message);
    this.run = run;
  }
}

/** Result codes of SQLite that tell of a value: too big, against a constraint, of another type, out of range. */
const refused = new Set([18, 19, 20, 25]);

/** Whether an error tells that an entry is bad, not that the database or the machine is. */
export function isBadEntry(error: unknown): error is Error {
  if (error instanceof BadEntry) return true;
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (code === 'ERR_SQLITE_ERROR') return errcode !== undefined && refused.has(errcode & 0xff);
  // Of PostgreSQL: data exceptions, constraints, limits of a program.
  return typeof code === 'string' && /^(22|23|54)...$/.test(code);
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

/** Whether the server may answer later. A refused login, a missing database or one that is read-only stays so. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof StoreAway)) return false;
  const { code, message = '' } = (error.cause ?? {}) as { code?: string; message?: string };
  if (code === undefined) return !message.includes('SSL');
  return !/^(28|3D|25)/.test(code);
}
