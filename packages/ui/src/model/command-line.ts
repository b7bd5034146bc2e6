/** A line of `orrery` for a terminal. Pure. */
import { quoted } from './again.ts';

/** A command with options as an address has them; several values of one stand with commas, and what is not given is left out. */
export function commandLine(command: string, options: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoted(String(value))}`],
  );
  return [command, ...given].join(' ');
}
