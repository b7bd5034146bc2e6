/** Which database a command is for. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import type { StorePlace } from '@orrery/store';

/** The default folder of `orrery dev`. */
export const DEFAULT_DATA = '.orrery';

/** What the commands are given. */
export interface DbOptions {
  readonly data?: string;
  readonly database?: string;
  readonly json?: boolean;
}

/** The database that the options name. An embedded one must be there: a wrong folder should not become a new one. */
export function placeOf({ data, database }: DbOptions): StorePlace {
  if (database !== undefined) {
    if (data !== undefined) throw new InvalidInput('give either --data or --database, not both');
    if (!/^postgres(ql)?:\/\//.test(database))
      throw new InvalidInput('the address of a database starts with postgres://', '--database');
    return { url: database, name: 'orrery db' };
  }
  const file = join(data ?? DEFAULT_DATA, 'orrery.db');
  if (!existsSync(file))
    throw new InvalidInput(
      `there is no database ${file}; name the data folder of a server with --data, or a PostgreSQL with --database`,
    );
  return { file };
}
