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
  placed(db.command('backup <file>').description('copy the database into a file, while servers work')).action(
    async (file, options) => (await import('./backup.ts')).backup(file, options),
  );
  placed(db.command('restore <file>').description('put a backup in place of the database'))
    .option('--replace', 'also where there is a database already')
    .action(async (file, options) => (await import('./backup.ts')).restoreBackup(file, options));
}

/** The options that say which database. */
function placed(command: Command): Command {
  return command
    .option('--data <folder>', 'the data folder of the embedded database (default: .orrery)')
    .option('--database <url>', 'a PostgreSQL database')
    .option('--json', 'answer in JSON');
}
