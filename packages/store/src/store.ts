/**
 * The store as others see it: named atomic operations, each a promise. The same operations stand on SQLite and on
 * PostgreSQL; reading ones use other connections than writing ones.
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

/** Every operation by name, and the end of it. */
export type Store = {
  readonly [Name in keyof Operations]: (
    ...input: Parameters<Operations[Name]>
  ) => Promise<Result<Operations[Name]>>;
} & {
  readonly dialect: 'sqlite' | 'postgres';
  /** Calls back after each write through this very store; a hint for those who watch. Returns how to stop it. */
  onWrite(told: () => void): () => void;
  /**
   * Sweeps the tables that rows only pass through, where the database does not do that by itself in time: every ten
   * seconds under load will do. Of two at once one does it.
   */
  tidy(): Promise<void>;
  close(): Promise<void>;
};

const written = { ...writing, ...carried };

/** What a store stands on. */
interface Driver extends Upkeep {
  readonly dialect: 'sqlite' | 'postgres';
  /** Runs a writing operation; one that may go `beside` others need not wait for them. */
  transact<T>(make: () => Operation<T>, beside?: boolean): T | Promise<T>;
  read<T>(make: () => Operation<T>): T | Promise<T>;
}

/** The embedded store within this thread, which stands still meanwhile: for tests, and for simulation with its `now`. */
export async function openSqlite(path: string, { now }: Pick<SqliteOptions, 'now'> = {}): Promise<Store> {
  return storeOn(new SqliteDriver(path, { now }));
}

/** The embedded store as a server uses it: one thread writes and another reads, so that neither holds up the caller. */
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
  // Loaded only where there is one: the embedded store starts sooner without.
  const { PostgresDriver } = await import('./postgres.ts');
  return storeOn(await PostgresDriver.open(options));
}

/** A store on a driver; for tests that need to do something to the database beside it. */
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

/** Whether an operation is a commit that neither reads nor writes what others of the same node do meanwhile. */
function standsAlone(name: string, [input]: readonly unknown[]): boolean {
  if (name === 'fireTicks') return true;
  if (name !== 'commitRuns') return false;
  const { changes } = input as Parameters<Store['commitRuns']>[0];
  return !changes.some(isRare);
}

/** What is done to a store as a whole. */
interface Upkeep {
  tidy?(): void | Promise<void>;
  close(): void | Promise<void>;
}

/** Asks for an operation by name. */
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
