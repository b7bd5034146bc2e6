/** `orrery import`, as the command line sees it. */
import type { Command } from 'commander';

/** Adds the command. */
export function addImport(program: Command): void {
  program
    .command('import')
    .description('turn a workflow export of DolphinScheduler (JSON) into workflow files')
    .argument('<file>', 'the export, or - for standard input')
    .option('--project <name>', 'the project they belong to', 'default')
    .option(
      '--alerts <file...>',
      'lists of its alert groups and alert instances, as its API answers them (JSON)',
    )
    .option('--out <folder>', 'write a file for each workflow here (default: print them)')
    .option('--force', 'replace files that are there already')
    .option('--json', 'answer in JSON')
    .action(async (file, options) => (await import('./import.ts')).importFile(file, options));
}
