/** `orrery worker …` on the command line; what a command does is loaded when it is called. */
import type { Command } from 'commander';

/** Adds `worker` and its commands. */
export function addWorker(program: Command): void {
  program
    .command('worker')
    .description('look after workers on this machine')
    .command('clean')
    .description('end the processes of tasks that workers of a data folder left; stop running workers first')
    .option('--data <folder>', 'the data folder that the workers were started with', '.orrery')
    .option('--name <worker>', 'only those of the worker with this name')
    .option('--json', 'answer in JSON')
    .action(async (options) => (await import('./clean.ts')).clean(options));
}
