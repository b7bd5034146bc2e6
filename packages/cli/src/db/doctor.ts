/** `orrery db doctor`: checks a database and reports its contents and errors, without changing anything. */
import { findStore, type StoreCheck } from '@orrery/store';
import { printJson } from '../client/output.ts';
import { type DbOptions, placeOf } from './place.ts';

/** Runs the command; the exit code is 1 when something is wrong. */
export async function doctor(options: DbOptions): Promise<void> {
  const found = await findStore(placeOf(options));
  try {
    const damages = (await found.damages()).map((text) => `the file is damaged: ${text}`);
    const pending = await found.pendingMigrations();
    const check = pending.length === 0 ? await found.checkStore() : undefined;
    const problems = [...damages, ...(check ? problemsOf(check) : [pendingText(pending.length)])];
    if (problems.length > 0) process.exitCode = 1;
    if (options.json) return printJson({ pending: pending.map(({ number }) => number), ...check, problems });
    if (check) {
      console.log(`schema ${check.schema.applied} (this version was written for ${check.schema.known})`);
      for (const [table, count] of Object.entries(check.counts)) console.log(`  ${table}: ${count}`);
    }
    for (const problem of problems) console.log(`wrong: ${problem}`);
    if (problems.length === 0) console.log('nothing is wrong');
  } finally {
    await found.close();
  }
}

function pendingText(count: number): string {
  return `${count} ${count === 1 ? 'migration is' : 'migrations are'} pending; run "orrery db migrate", or start a server`;
}

function problemsOf({ schema, orphans }: StoreCheck): string[] {
  const wrong = Object.entries(orphans)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${what}: ${count}`);
  if (schema.applied <= schema.known + 1) return wrong;
  return [`the schema is ${schema.applied}, too new for this version; use a newer Orrery`, ...wrong];
}
