/** The databases that are reached over a network, each by one adapter over its driver. */
import { InvalidInput } from '@orrery/core/errors';
import type { Markers } from '@orrery/core/params';
import { openClickhouse } from './clickhouse.ts';
import { type HiveSettings, openHive } from './hive.ts';
import { openMysql } from './mysql.ts';
import { type OracleSettings, openOracle } from './oracle.ts';
import { openPostgres } from './postgres.ts';
import type { SqlSession } from './session.ts';
import { openSqlserver } from './sqlserver.ts';
import { openTrino, type TrinoSettings } from './trino.ts';

/** What tasks need to know of a kind before they have a session. */
interface ServerKind {
  readonly markers: Markers;
  /** The query for the server's version: one row, with the version in the first column. */
  readonly version: string;
  open(settings: Record<string, unknown>, codeFolder: string): Promise<SqlSession>;
}

/** Defines a kind whose connections have these settings. */
function server<Settings>(
  markers: Markers,
  version: string,
  open: (settings: Settings, codeFolder: string) => Promise<SqlSession>,
): ServerKind {
  return { markers, version, open: (settings, codeFolder) => open(settings as Settings, codeFolder) };
}

function unbound(): never {
  throw new InvalidInput(
    'Hive binds no parameters: write ${name:raw}, or use a task of type hive, which takes vars',
    'sql',
  );
}

const kinds: Readonly<Record<string, ServerKind>> = {
  postgresql: server('numbered', 'SELECT version()', openPostgres),
  mysql: server('question', 'SELECT version()', openMysql),
  clickhouse: server((n) => `{p${n}:String}`, 'SELECT version()', openClickhouse),
  sqlserver: server((n) => `@p${n}`, 'SELECT @@VERSION', openSqlserver),
  oracle: server<OracleSettings>((n) => `:${n}`, 'SELECT banner FROM v$version', openOracle),
  trino: server<TrinoSettings>('question', 'SELECT version()', openTrino),
  hive: server<HiveSettings>(unbound, 'SELECT version()', openHive),
};

/** Their names. */
export const SERVERS: readonly string[] = Object.keys(kinds);

/** One of them. */
export function serverKind(name: string): ServerKind {
  const found = kinds[name];
  if (!found) throw new Error(`"${name}" is no database reached over a network`);
  return found;
}
