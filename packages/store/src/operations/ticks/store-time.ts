/**
 * The store's clock, which judges when a tick is due. Only a beat, the guard of ticks and this read it: every other
 * statement takes the time from its caller.
 */
import { type Operation, row, type Text } from '../../operation.ts';

/** The function that SQLite calls; the driver gives it the clock of its process, or a simulation's. */
export const STORE_CLOCK = 'store_clock';

/** The store's time in epoch milliseconds, as an expression. */
const storeTime: Exclude<Text, string> = {
  sqlite: `CAST(${STORE_CLOCK}() AS INTEGER)`,
  postgres: 'floor(extract(epoch FROM clock_timestamp()) * 1000)::int8',
};

/** A statement in which `{storeTime}` is the store's time. */
export function withStoreTime(text: string | Exclude<Text, string>): Exclude<Text, string> {
  const { sqlite, postgres } = typeof text === 'string' ? { sqlite: text, postgres: text } : text;
  return {
    sqlite: sqlite.replaceAll('{storeTime}', storeTime.sqlite),
    postgres: postgres.replaceAll('{storeTime}', storeTime.postgres),
  };
}

const now = withStoreTime('SELECT {storeTime} AS time');

/** What time it is for the store. */
export function* readTime(): Operation<number> {
  return (yield* row<{ time: number }>(now))?.time ?? 0;
}
