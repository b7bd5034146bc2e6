/**
 * The `orrery` command: declares the commands and turns how one ended into an exit code. Each command loads its
 * implementation when it is called, so that starting stays fast.
 */
import { Command, CommanderError } from 'commander';
import about from '../package.json' with { type: 'json' };
import { addCheck } from './check/command.ts';
import { addClientCommands } from './client/command.ts';
import { guardConsole } from './client/for-terminal.ts';
import { tellCall } from './client/told.ts';
import { addCompletion } from './completion/command.ts';
import { addDb } from './db/command.ts';
import { addDev } from './dev/command.ts';
import { addDoctor } from './doctor/command.ts';
import { addImport } from './import/command.ts';
import { addPreview } from './preview/command.ts';
import { addServer } from './server/command.ts';
import { addWorker } from './worker/command.ts';

/** What the exit code tells a script. */
const exit = { success: 0, failed: 1, badInput: 2 } as const;

/** Runs one command line, without the program's own name, and sets the exit code of the process. */
export async function main(args: readonly string[]): Promise<void> {
  // A reader that has seen enough, as in `orrery … | head`, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exit.success : exit.failed);
  });
  guardConsole(console, process);
  const orrery = program();
  try {
    await orrery.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = report(unknownIn(orrery, args, error) ?? error);
  }
}

function program(): Command {
  const orrery = new Command('orrery')
    .description('Elastic job and workflow scheduler')
    .version(about.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    // After a command `--version` is that command's own.
    .enablePositionalOptions()
    .exitOverride()
    // Its errors are thrown, and printed once by `report`.
    .configureOutput({ outputError: () => {} })
    .hook('preAction', (_program, command) => {
      refuseEmpty(command);
      // All that shows a time shows it in the zone of the process.
      if (command.opts().utc) process.env.TZ = 'UTC';
    });
  addDev(orrery);
  addServer(orrery);
  addClientCommands(orrery);
  addCheck(orrery);
  addImport(orrery);
  addPreview(orrery);
  addWorker(orrery);
  addDb(orrery);
  addDoctor(orrery);
  addCompletion(orrery);
  return orrery;
}

/** A mistyped command of a group is taken for an argument of the one that the group does by itself. */
function unknownIn(program: Command, [group, given]: readonly string[], error: unknown): unknown {
  if (!(error instanceof CommanderError) || error.code !== 'commander.excessArguments') return undefined;
  const known = program.commands.find((command) => command.name() === group)?.commands ?? [];
  const names = known.map((command) => command.name());
  if (names.length === 0 || given === undefined || given.startsWith('-') || names.includes(given))
    return undefined;
  const message = `unknown command '${group} ${given}'; there are ${names.join(', ')}`;
  return new CommanderError(exit.badInput, 'commander.unknownCommand', message);
}

/** An empty argument is a variable of a script that was not set. */
function refuseEmpty(command: Command): void {
  const empty = command.args.indexOf('');
  if (empty < 0) return;
  const name = command.registeredArguments[Math.min(empty, command.registeredArguments.length - 1)]?.name();
  throw new CommanderError(exit.badInput, 'orrery.emptyArgument', `argument '${name}' is empty`);
}

/** Prints a failure on standard error, bad input in one line, and returns its exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exit.success;
    // Without a command the help was printed, which explains more than a message.
    if (error.code !== 'commander.help')
      console.error(`orrery: ${oneLine(error.message.replace(/^error: /, ''))}`);
    return exit.badInput;
  }
  // By its tag and not its class: loading the rules only to compare would slow every start.
  const call = error instanceof Error ? tellCall(error) : undefined;
  if (call) {
    console.error(`orrery: ${oneLine(call.line)}`);
    return call.badInput ? exit.badInput : exit.failed;
  }
  if (error instanceof Error && 'syscall' in error) {
    console.error(`orrery: ${oneLine(error.message)}`);
    return 'code' in error && pathErrors.includes(String(error.code)) ? exit.badInput : exit.failed;
  }
  if (error instanceof Error && 'tag' in error) {
    console.error(`orrery: ${oneLine(error.message)}`);
    return error.tag === 'invalid-input' ? exit.badInput : exit.failed;
  }
  console.error(error);
  return exit.failed;
}

/** The system's error codes for a wrong path. */
const pathErrors = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST', 'EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG'];

/** Commander writes "error: …" and its suggestion on a second line. */
function oneLine(message: string): string {
  return message.replace(/\n\(Did you mean/, ' (did you mean').replace(/\s*\n\s*/g, ' ');
}
