/** Declares `orrery dev`; what it does is loaded when it is called. */
import { logLevels } from '@orrery/core/log';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { logFormats } from '../node/open-log.ts';

/** Adds `dev` to the program. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .description('run everything in this process: store, master, worker and API')
    .option('--port <port>', 'where the API listens', port, 7070)
    .option('--data <folder>', 'where the database, logs and work files lie', '.orrery')
    .option('--database <url>', 'a PostgreSQL database instead of the embedded one')
    .option('--code <folder>', 'where modules of node tasks and plugins are found', '.')
    .option('--plugin <name>', 'a plugin: the name of a package or a folder; may be repeated', collect, [])
    .option('--slots <number>', 'how many tasks run at once', whole)
    .option('--jobs <name=url>', 'elastic jobs to show: NAMESPACE=REGISTRY-URL; may be repeated', collect, [])
    .option('--secrets <folder>', 'the folder of secrets: a file for each')
    .option('--token <token>', 'what clients must send (default: ORRERY_TOKEN, else nothing)')
    .addOption(
      new Option('--log-format <format>', 'how log lines are written').choices(logFormats).default('text'),
    )
    .addOption(
      new Option('--log-level <level>', 'which log lines are written, with those above')
        .choices(logLevels)
        .default('warn'),
    )
    .option('--no-console', 'serve the API without the console')
    .option(
      '--sample <file>',
      'publish this workflow file and run its first workflow; may be repeated',
      collect,
      [],
    )
    .action(async (options, command: Command) => {
      const { dev } = await import('./dev.ts');
      await dev(options, (name) => command.getOptionValueSource(name) === 'cli');
    });
}

function whole(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError('a whole number is wanted.');
  return value;
}

function port(text: string): number {
  const value = whole(text);
  if (value > 65_535) throw new InvalidArgumentError('ports go from 0 to 65535; 0 takes any free one.');
  return value;
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
