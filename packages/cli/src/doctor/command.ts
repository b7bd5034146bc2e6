/** `orrery doctor` on the command line; what it does is loaded when it is called. */
import type { Command } from 'commander';

/** Adds `doctor`. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('show the configuration and look for what is wrong on this machine')
    .option('--url <url>', 'the server (default: ORRERY_URL, else http://127.0.0.1:7070)')
    .option('--token <token>', 'its token (default: ORRERY_TOKEN)')
    .option('--data <folder>', 'the data folder of the server (default: .orrery)')
    .option('--secrets <folder>', 'the folder of secrets of the server (default: ORRERY_SECRETS)')
    .option('--utc', 'show times in UTC (default: in the time zone of this machine)')
    .option('--json', 'answer in JSON')
    .action(async (options) => (await import('./doctor.ts')).doctor(options));
}
