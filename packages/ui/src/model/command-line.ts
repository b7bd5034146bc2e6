/** Lines of `orrery` for a terminal. Pure. */
import { quoted } from './again.ts';

/** Where the command line looks by itself. */
const usual = ['http://127.0.0.1:7070', 'http://localhost:7070'];

/** Commands that talk to no server. */
const alone = ['dev', 'server', 'worker', 'db', 'check', 'import', 'preview', 'completion'];

/**
 * Lines as they can be typed: by npx, which finds the command whether it is installed in a project or for all, and with
 * the server that this console is of.
 */
export function typedLines(lines: string, server: string): string {
  return lines.replaceAll(/(^|\| )orrery (\S+)(.*)$/gm, (_, before, command, rest) => {
    const named = usual.includes(server) || alone.includes(command) ? '' : ` --url ${quoted(server)}`;
    return `${before}npx orrery ${command}${rest}${named}`;
  });
}

/** Publishes a first workflow, without a file that would have to be there. */
export const FIRST_WORKFLOW =
  "echo '{name: hello, tasks: [{name: greet, type: shell, with: {script: echo hello}}]}' | orrery apply -f -";

/**
 * A command with the options of an address. Several values of one option are joined by commas; missing ones
 * are left out.
 */
export function commandLine(command: string, options: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoted(String(value))}`],
  );
  return [command, ...given].join(' ');
}
