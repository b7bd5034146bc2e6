/**
 * A stage for races: several masters on one PostgreSQL schema, each with a gate that stops its next write before a
 * statement of one's choice. Whether somebody waits for a lock is asked of the database, so no test sleeps to prove
 * anything.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresOptions, Self, Store } from './index.ts';
import { openPostgres } from './store.ts';
import { joinMaster } from './testing.ts';

/** The schema that the masters share; its maker is `testSchema` of the testkit. */
interface Schema {
  readonly options: PostgresOptions;
  query<T>(text: string, params?: readonly unknown[]): Promise<T[]>;
  clear(): Promise<void>;
  drop(): Promise<void>;
}

/** A write that is stopped before a statement. */
interface Stop {
  /** Fulfilled when the write has come there. */
  readonly reached: Promise<void>;
  /** Lets it go on. */
  release(): void;
}

/** A master with a store, and a gate in front of its statements. */
export interface Actor {
  readonly store: Store;
  readonly self: Self;
  /** Stops the next write before the first statement that contains the text; BEGIN and COMMIT count as statements. */
  stopBefore(text: string): Stop;
}

/** A schema and the masters on it. */
export class RaceStage {
  private readonly schema: Schema;
  private readonly stores: Store[] = [];

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** Joins a master over connections of its own. */
  async join(id: string, options: Partial<PostgresOptions> = {}): Promise<Actor> {
    const gate = new Gate();
    const name = this.nameOf(id);
    const store = await openPostgres({ ...this.schema.options, name, pause: gate.pass, ...options });
    this.stores.push(store);
    return { store, self: await joinMaster(store, id), stopBefore: (text) => gate.stopBefore(text) };
  }

  /** Waits until the write of this master waits for a lock that somebody else holds. */
  async blocked({ node, epoch }: Self): Promise<void> {
    const names = await this.sessions(node, epoch);
    const isBlocked = async () =>
      (
        await this.query(
          `SELECT 1 FROM pg_stat_activity WHERE application_name = ANY ($1) AND wait_event_type = 'Lock'`,
          [names],
        )
      ).length > 0;
    while (!(await isBlocked())) await sleep(2);
  }

  /** Ends the connection on which this master writes, as an administrator or a crash of the server would. */
  async terminate({ node, epoch }: Self): Promise<void> {
    const names = await this.sessions(node, epoch);
    await this.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = ANY ($1)`,
      [names],
    );
  }

  query<T>(text: string, params?: readonly unknown[]): Promise<T[]> {
    return this.schema.query<T>(text, params);
  }

  /** Leaves an empty schema and no masters. */
  async clear(): Promise<void> {
    for (const store of this.stores.splice(0)) await store.close();
    const [{ exists }] = await this.query<{ exists: boolean }>(
      `SELECT to_regclass('node') IS NOT NULL AS exists`,
    );
    if (exists) await this.schema.clear();
  }

  async close(): Promise<void> {
    await this.clear();
    await this.schema.drop();
  }

  private nameOf(id: string): string {
    return `${this.schema.options.schema} ${id}`;
  }

  /** A connection has its own name until a write begins, and the node's from then on. */
  private async sessions(node: string, epoch: number): Promise<string[]> {
    const [{ name }] = await this.query<{ name: string }>(
      `SELECT 'orrery ' || md5(current_schema() || ' ' || $1::text || ' ' || $2::int8::text) AS name`,
      [node, epoch],
    );
    return [name, this.nameOf(node)];
  }
}

/** Stops writes: open -> armed (waits for a statement) -> stopped -> open. */
class Gate {
  private armed: { text: string; arrive: () => void; released: Promise<void> } | undefined;

  readonly pass = (text: string): Promise<void> | undefined => {
    const stop = this.armed;
    if (!stop || !text.includes(stop.text)) return undefined;
    this.armed = undefined;
    stop.arrive();
    return stop.released;
  };

  stopBefore(text: string): Stop {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.armed = { text, arrive: arrived.resolve, released: released.promise };
    return { reached: arrived.promise, release: released.resolve };
  }
}
