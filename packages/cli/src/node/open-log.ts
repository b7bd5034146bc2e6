/**
 * The log of a process, on standard error: lines for people, or JSON for machines, written by pino, which is loaded only
 * then.
 */
import { type Log, type LogLevel, logLevels } from '@orrery/core/log';

/** How lines look. */
export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LogOptions {
  readonly format: LogFormat;
  /** Lines below this level are left out. */
  readonly level: LogLevel;
  /** Lines for people begin with the time. */
  readonly dated: boolean;
}

/** Opens it. */
export async function openLog({ format, level, dated }: LogOptions): Promise<Log> {
  return format === 'json' ? jsonLog(level) : textLog(level, dated);
}

function textLog(least: LogLevel, dated: boolean): Log {
  const shown = new Set(logLevels.slice(logLevels.indexOf(least)));
  return (level, text, { err } = {}) => {
    if (!shown.has(level)) return;
    const time = dated ? `${new Date().toISOString()} ` : '';
    const stack = err instanceof Error && err.stack ? `\n${err.stack}` : '';
    console.error(`${time}${level}: ${text}${stack}`);
  };
}

async function jsonLog(level: LogLevel): Promise<Log> {
  const { destination, pino, stdTimeFunctions } = await import('pino');
  const options = {
    level,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Written synchronously: the last line of a dying process holds the reason.
  const logger = pino(options, destination({ fd: process.stderr.fd, sync: true }));
  return (level, text, fields = {}) => logger[level](fields, text);
}

/** Announces readiness: to people on standard output, to machines as a log line. */
export function announcer(format: LogFormat, log: Log): (text: string) => void {
  return format === 'json' ? (text) => log('info', text) : (text) => console.log(text);
}
