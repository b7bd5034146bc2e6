/**
 * The store's interface: named atomic operations, each a promise. SQLite and PostgreSQL share the operations;
 * reads use other connections than writes.
 */
import { actForNobody, actingFor } from './acting.ts';
import { carried, reading, writing } from './catalogue.ts';
import { type AskedStart, CoalescedStarts } from './coalesced-starts.ts';
import type { Operation } from './operation.ts';
import { isRare } from './operations/runs/run-batch.ts';
import type { Submit, Submitted } from './operations/runs/submit.ts';
import type { PostgresOptions } from './postgres-connection.ts';
import { SqliteDriver, type SqliteOptions } from './sqlite.ts';
import { SqliteThread } from './sqlite-thread.ts';

type Operations = typeof writing & typeof reading;
type Result<F> = F extends (...args: never[]) => Operation<infer T> ? T : never;

/** Every operation by name, and `close`. */
export type Store = {
  readonly [Name in keyof Operations]: (
    ...input: Parameters<Operations[Name]>
  ) => Promise<Result<Operations[Name]>>;
} & {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Calls back after each write through this store, as a hint for live clients. Returns a function that
   * removes the callback.
   */
  onWrite(told: () => void): () => void;
  /**
   * Vacuums the queue tables if the database is too slow to do it by itself; every ten seconds under load is
   * enough. Of two concurrent calls one does the work.
   */
  tidy(): Promise<void>;
  close(): Promise<void>;
};

const written = { ...writing, ...carried };

/** The driver behind a store. */
interface Driver extends Upkeep {
  readonly dialect: 'sqlite' | 'postgres';
  /** Runs a writing operation; with `beside` it need not wait for others. */
  transact<T>(make: () => Operation<T>, beside?: boolean): T | Promise<T>;
  read<T>(make: () => Operation<T>): T | Promise<T>;
}

/** The embedded store within this thread, which it blocks: for tests, and for simulation with its `now`. */
export async function openSqlite(path: string, { now }: Pick<SqliteOptions, 'now'> = {}): Promise<Store> {
  return storeOn(new SqliteDriver(path, { now }));
}

/** The embedded store of a server: one thread writes and another reads, so that neither blocks the caller. */
export async function openSqliteThread(path: string): Promise<Store> {
  const thread = await SqliteThread.open(path);
  return storeOf(
    'sqlite',
    { close: () => thread.close() },
    (name, input) => thread.write(name, input),
    (name, input) => thread.read(name, input),
  );
}

/** The cluster's store. */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  // Loaded on demand: the embedded store starts faster without it.
  const { PostgresDriver } = await import('./postgres.ts');
  return storeOn(await PostgresDriver.open(options));
}

/** A store on a driver, for tests that also access the database directly. */
export function storeOn(driver: Driver): Store {
  type Make = (...input: readonly unknown[]) => Operation<unknown>;
  const make = (from: object, name: string, input: readonly unknown[]) => () =>
    (from as Record<string, Make>)[name](...input);
  return storeOf(
    driver.dialect,
    { tidy: () => driver.tidy?.(), close: () => driver.close() },
    async (name, input) => driver.transact(make(written, name, input), standsAlone(name, input)),
    async (name, input) => driver.read(make(reading, name, input)),
  );
}

/**
 * Whether an operation is a commit that neither reads nor writes what others of the same node do meanwhile.
 */
function standsAlone(name: string, [input]: readonly unknown[]): boolean {
  if (name === 'fireTicks') return true;
  if (name !== 'commitRuns') return false;
  const { changes } = input as Parameters<Store['commitRuns']>[0];
  return !changes.some(isRare);
}

/** Operations on the store as a whole. */
interface Upkeep {
  tidy?(): void | Promise<void>;
  close(): void | Promise<void>;
}

/** Calls an operation by name. */
type Ask = (name: string, input: readonly unknown[]) => Promise<unknown>;

function storeOf(dialect: Store['dialect'], about: Upkeep, write: Ask, read: Ask): Store {
  const watchers = new Set<() => void>();
  const tell = <T>(result: T): T => {
    actForNobody(() => {
      for (const told of watchers) told();
    });
    return result;
  };
  const onWrite: Store['onWrite'] = (told) => {
    watchers.add(told);
    return () => watchers.delete(told);
  };
  const tidy = async () => about.tidy?.();
  const close = async () => about.close();
  const store: Record<string, unknown> = { dialect, onWrite, tidy, close };
  for (const name of Object.keys(writing)) {
    store[name] = (...input: unknown[]) => {
      const who = actingFor();
      const written = who ? write('onBehalf', [{ who, name, input }]) : write(name, input);
      return watchers.size === 0 ? written : written.then(tell);
    };
  }
  const starts = new CoalescedStarts((list: readonly AskedStart[]) => {
    const written = write('submitStarts', [{ starts: list }]) as Promise<readonly Submitted[]>;
    return watchers.size === 0 ? written : written.then(tell);
  });
  store.submitCommand = (start: Submit) => starts.submit({ ...start, who: actingFor() });
  for (const name of Object.keys(reading)) store[name] = (...input: unknown[]) => read(name, input);
  return store as Store;
}
