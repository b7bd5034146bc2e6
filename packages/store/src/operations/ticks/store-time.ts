/**
 * The store's clock, which decides when a tick is due. Only beats, the guard of ticks and this module read
 * it: every other statement takes the time from its caller.
 */
import { type Operation, row, type Text } from '../../operation.ts';

/** The SQLite function for the clock; the driver provides its process's clock, or a simulation's. */
export const STORE_CLOCK = 'store_clock';

/** SQL: the store's time in epoch milliseconds. */
const storeTime: Exclude<Text, string> = {
  sqlite: `CAST(${STORE_CLOCK}() AS INTEGER)`,
  postgres: 'floor(extract(epoch FROM clock_timestamp()) * 1000)::int8',
};

/** Replaces `{storeTime}` in a statement with the store's time. */
export function withStoreTime(text: string | Exclude<Text, string>): Exclude<Text, string> {
  const { sqlite, postgres } = typeof text === 'string' ? { sqlite: text, postgres: text } : text;
  return {
    sqlite: sqlite.replaceAll('{storeTime}', storeTime.sqlite),
    postgres: postgres.replaceAll('{storeTime}', storeTime.postgres),
  };
}

const now = withStoreTime('SELECT {storeTime} AS time');

/** The store's current time. */
export function* readTime(): Operation<number> {
  return (yield* row<{ time: number }>(now))?.time ?? 0;
}
