/**
 * What the services script knows about a program that tests run against: where to find it, which Debian
 * packages bring it, and, for a server, how to start it on a loopback port and ask whether it answers.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that only has to be installed. */
export interface Program {
  readonly name: string;
  /** The Debian packages that bring it. */
  readonly packages: readonly string[];
  /** The path that proves it is installed, or undefined. */
  find(): string | undefined;
}

/** Where and how one server starts. */
export interface Place {
  /** The program, as `find()` gave it. */
  readonly program: string;
  /** A folder of its own that outlives a restart; the server's command line names it. */
  readonly home: string;
  readonly port: number;
  /** Trade durability against a crash of the machine for speed. */
  readonly fast: boolean;
}

/** The command that runs a server in the foreground. */
interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The account to run under where the server refuses root. */
  readonly account?: Account;
}

/** A user of this machine by number. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** A server that tests talk to. */
export interface Service extends Program {
  /** Environment variable that fixes its port. */
  readonly portVariable: string;
  /** The signal on which it stops at once, without waiting for its clients. */
  readonly stopSignal: NodeJS.Signals;
  url(port: number): string;
  /** Prepares `place.home` (harmless to repeat on a restart) and returns the command to run. */
  launch(place: Place): Launch;
  /** Whether it answers a real request now; false, not an error, while it does not. */
  ready(place: Place): Promise<boolean>;
}

/** The first of these commands that is on the search path. */
export function findCommand(...commands: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return commands.flatMap((command) => folders.map((folder) => join(folder, command))).find(isExecutable);
}

/** Whether this file can be run by the caller. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
