/**
 * Logs errors of a master's systems. While the store is away all of them fail alike, so one line a minute is
 * enough. The membership reports a stale epoch.
 */

import type { Log, LogFields } from '@orrery/core/log';
import { QuietLog } from '@orrery/core/quiet-log';
import type { Clock } from '@orrery/core/timing';
import { StaleEpoch, StoreAway } from '@orrery/store';

/** Logs an error; `what` names the work that failed. */
export type ReportError = (what: string, error: unknown, fields?: LogFields) => void;

export function errorReport(log: Log, clock: Pick<Clock, 'monotonic'>): ReportError {
  const away = new QuietLog(log, clock);
  return (what, error, fields) => {
    if (error instanceof StaleEpoch) return;
    const text = `${what}: ${(error as Error).message}`;
    if (error instanceof StoreAway) away.met(text);
    else log('warn', text, fields);
  };
}
