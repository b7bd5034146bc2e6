/** Declares `orrery check`; what it does is loaded when it is called. */
import type { Command } from 'commander';

/** Adds `check` to the program. */
export function addCheck(program: Command): void {
  program
    .command('check')
    .description('validate workflow files offline')
    .argument('<path...>', 'files, modules that export workflows, folders of them, or - for standard input')
    .option('--code <folder>', 'where plugins are found', '.')
    .option('--plugin <name>', 'a plugin whose task types they use; may be repeated', collect, [])
    .option('--json', 'answer in JSON')
    .action(async (paths, options) => (await import('./check.ts')).check(paths, options));
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
