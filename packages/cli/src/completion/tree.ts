/**
 * The commands of the program in the form that shell completion needs: every command, with what may follow
 * it.
 */
import type { Command } from 'commander';

/** Something that may be typed at a place. */
export interface Word {
  /** All its forms: `-f` and `--file`. */
  readonly forms: readonly string[];
  readonly text: string;
  /** An option that is followed by a value. */
  readonly takesValue: boolean;
}

/** A command, or the program itself. */
export interface Place {
  /** The commands that lead here: `runs list`; empty for the program. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
}

/** All places, the program first. */
export function treeOf(program: Command, path = ''): Place[] {
  const own = program.commands;
  // A group is also the one of its commands that is meant where none is named.
  const usual = (program as unknown as { _defaultCommandName?: string | null })._defaultCommandName;
  const options = [program, ...own.filter((command) => command.name() === usual)].flatMap(optionsOf);
  const place = {
    path,
    commands: [
      ...own.map((command) => word([command.name()], command.description())),
      ...program.registeredArguments.flatMap(({ argChoices = [] }) =>
        argChoices.map((one) => word([one], '')),
      ),
    ],
    options: [...options, word(['--help'], 'print help')],
  };
  return [
    place,
    ...own.flatMap((command) => treeOf(command, path === '' ? command.name() : `${path} ${command.name()}`)),
  ];
}

function optionsOf(command: Command): Word[] {
  return command.options.map(({ short, long, description, required, optional }) =>
    word(
      [short, long].filter((form) => form !== undefined && form !== null),
      description,
      required || optional,
    ),
  );
}

function word(forms: readonly string[], text: string, takesValue = false): Word {
  return { forms, text, takesValue };
}
