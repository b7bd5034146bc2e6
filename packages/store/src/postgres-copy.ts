/**
 * Copies rows between PostgreSQL and a file of the embedded database: both have the same tables and columns.
 */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { Conflict } from './errors.ts';
import { pendingMigrations } from './migrate.ts';
import { PostgresDriver } from './postgres.ts';
import { asStoreAway, connection, type PostgresOptions } from './postgres-connection.ts';
import { SqliteDriver } from './sqlite.ts';

/** Rows read and written at once. */
const ROWS = 1_000;

type Row = Record<string, string | number | null>;

interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: 'int8' | 'text' }[];
}

/** Copies everything from PostgreSQL, in one snapshot. */
export async function copyFromPostgres(place: PostgresOptions, file: string): Promise<void> {
  const found = PostgresDriver.asFound(place);
  try {
    const pending = await found.read(pendingMigrations);
    if (pending.length > 0)
      throw new Conflict('the schema is not of this version; run "orrery db migrate" first');
  } finally {
    await found.close();
  }
  new SqliteDriver(file).close();
  const target = new DatabaseSync(file);
  try {
    target.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; BEGIN');
    await inTransaction(place, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (client) => {
      for (const table of tablesOf(target)) {
        target.exec(`DELETE FROM ${table.name}`);
        await copyOut(client, target, table);
      }
      const { rows } = await client.query('SELECT last_value AS value FROM numbers');
      target.prepare('UPDATE numbers SET value = ?').run(Number(rows[0].value));
    });
    target.exec('COMMIT; PRAGMA synchronous = FULL; VACUUM');
  } finally {
    target.close();
  }
}

/** Copies everything into PostgreSQL in one transaction: others see all of it or nothing. */
export async function copyToPostgres(file: string, place: PostgresOptions, replace: boolean): Promise<void> {
  await (await PostgresDriver.open(place)).close();
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    await inTransaction(place, 'BEGIN', async (client) => {
      const tables = tablesOf(source);
      const { rows } = await client.query(
        'SELECT EXISTS (SELECT 1 FROM workflow) OR EXISTS (SELECT 1 FROM run) AS used',
      );
      if (rows[0].used && !replace)
        throw new Conflict('the database is not empty; say --replace to delete what is in it and go on');
      await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`);
      for (const table of tables) await copyIn(client, source, table);
      const { value } = source.prepare('SELECT value FROM numbers').get() as { value: number };
      await client.query(`SELECT setval('numbers', $1::int8)`, [Math.max(1, value)]);
      for (const [name, key] of [
        ['inbox', 'seq'],
        ['history', 'seq'],
        ['audit', 'id'],
      ])
        await client.query(
          `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT COALESCE(max(${key}), 0) + 1 FROM ${name}))`,
          [name, key],
        );
    });
  } finally {
    source.close();
  }
}

async function copyOut(client: pg.Client, target: DatabaseSync, { name, columns }: Table): Promise<void> {
  const names = columns.map((column) => column.name).join(', ');
  const insert = target.prepare(
    `INSERT INTO ${name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  await client.query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${names} FROM ${name}`);
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${ROWS} FROM copied`);
    for (const row of rows) insert.run(...columns.map((column) => row[column.name]));
    if (rows.length < ROWS) break;
  }
  await client.query('CLOSE copied');
}

async function copyIn(client: pg.Client, source: DatabaseSync, { name, columns }: Table): Promise<void> {
  const names = columns.map((column) => column.name).join(', ');
  const arrays = columns.map(({ type }, k) => `$${k + 1}::${type}[]`).join(', ');
  const text = `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays})`;
  let rows: Row[] = [];
  const flush = async () => {
    if (rows.length > 0)
      await client.query(
        text,
        columns.map((column) => rows.map((row) => row[column.name])),
      );
    rows = [];
  };
  for (const row of source.prepare(`SELECT ${names} FROM ${name}`).iterate()) {
    rows.push(row as Row);
    if (rows.length === ROWS) await flush();
  }
  await flush();
}

/** Tables to copy, without migrations: their numbers belong to the code. */
function tablesOf(database: DatabaseSync): Table[] {
  const names = database
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('migration', 'numbers') ORDER BY name`,
    )
    .all() as { name: string }[];
  return names.map(({ name }) => ({
    name,
    columns: (database.prepare(`PRAGMA table_info(${name})`).all() as { name: string; type: string }[]).map(
      (column) => ({ name: column.name, type: column.type === 'TEXT' ? 'text' : 'int8' }),
    ),
  }));
}

async function inTransaction(
  place: PostgresOptions,
  begin: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client(connection(place));
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(begin);
    await work(client);
    await client.query('COMMIT');
  } catch (error) {
    throw asStoreAway(error, false);
  } finally {
    await client.end().catch(() => {});
  }
}
