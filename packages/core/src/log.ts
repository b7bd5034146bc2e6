/** The logging interface of every part of a process: a level, a line for people, and fields for machines. */

/** From helpful for tracing a fault to needing attention. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields of a line. Each thing has one name, so that lines of different parts can be joined by it. */
export interface LogFields {
  /** The process that writes the line. */
  readonly node?: string;
  readonly role?: string;
  /** A request to the API, as named in its answer's `x-request-id`. */
  readonly request?: string;
  readonly project?: string;
  readonly workflow?: string | number;
  readonly schedule?: number;
  readonly run?: number;
  readonly task?: string;
  readonly attempt?: string;
  readonly worker?: string;
  readonly master?: string;
  readonly epoch?: number;
  readonly job?: string;
  /** An unexpected error, logged with its stack. */
  readonly err?: unknown;
  readonly [field: string]: unknown;
}

/** Writes one line. */
export type Log = (level: LogLevel, text: string, fields?: LogFields) => void;

/** The same log with these fields in every line. */
export function withFields(log: Log, fields: LogFields): Log {
  return (level, text, more) => log(level, text, { ...fields, ...more });
}
