/** `orrery db …` on the command line; what a command does is loaded when it is called. */
import type { Command } from 'commander';

/** Adds `db` and its commands. */
export function addDb(program: Command): void {
  const db = program.command('db').description('look after the database');
  placed(db.command('migrate').description('bring the schema up to date'))
    .option('--dry-run', 'only say what would be applied')
    .action(async (options) => (await import('./migrate.ts')).migrate(options));
  placed(db.command('doctor').description('look for what is wrong in the database')).action(async (options) =>
    (await import('./doctor.ts')).doctor(options),
  );
}

/** The options that say which database. */
function placed(command: Command): Command {
  return command
    .option('--data <folder>', 'the data folder of the embedded database (default: .orrery)')
    .option('--database <url>', 'a PostgreSQL database')
    .option('--json', 'answer in JSON');
}
