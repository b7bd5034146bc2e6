/** `orrery db migrate`: applies the numbered changes of the schema that a database does not have yet. */
import { findStore, openPostgres, openSqlite, type StorePlace } from '@orrery/store';
import { printJson } from '../client/output.ts';
import { type DbOptions, placeOf } from './place.ts';

/** Runs the command. */
export async function migrate(options: DbOptions & { readonly dryRun?: boolean }): Promise<void> {
  const place = placeOf(options);
  const list = await pending(place);
  if (!options.dryRun) await (await openMigrated(place)).close();
  const names = list.map(({ number, name }) => ({ number, name }));
  if (options.json) return printJson({ [options.dryRun ? 'pending' : 'applied']: names });
  for (const { number, name } of list) {
    console.log(`${options.dryRun ? 'pending' : 'applied'} ${number} ${name}`);
  }
  if (list.length === 0) console.log('the schema is up to date');
}

async function pending(place: StorePlace) {
  const found = await findStore(place);
  try {
    return await found.pendingMigrations();
  } finally {
    await found.close();
  }
}

/** Opening migrates, and refuses a schema that is too new, also where nothing is pending. */
function openMigrated(place: StorePlace) {
  return 'file' in place ? openSqlite(place.file) : openPostgres(place);
}
