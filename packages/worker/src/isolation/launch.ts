/**
 * The commands between a guard and its task: first limits, then namespaces, then the user. The guard keeps
 * the rights and environment of the worker, and the last exec drops them. So nothing that a task chooses
 * (`LD_PRELOAD`, `PATH`) reaches a process that still has those rights.
 */
import type { TaskUser } from './task-user.ts';

/** How strictly tasks are isolated from their worker and from each other. */
export type IsolationMode = 'none' | 'user' | 'namespaces';

export const isolationModes: readonly IsolationMode[] = ['none', 'user', 'namespaces'];

/** Limits of each process of a task; a missing limit is unlimited. */
export interface TaskLimits {
  /** Bytes of private memory. */
  readonly memory?: number;
  /** Seconds of processor time. */
  readonly cpuTime?: number;
  /** Processes of the task's user. */
  readonly processes?: number;
}

/** Run by the task's user: takes the task's environment from descriptor 5 and becomes the task. */
const LOADER = 'set -e; eval "$(cat <&5)"; exec 5<&-; cd -- "$1"; shift; exec "$@"';

/**
 * The first process of a namespace. It keeps its rights, so that the task cannot end it, and ends with the
 * task.
 */
const INIT = 'trap : HUP INT QUIT TERM; exec 2>/dev/null; "$@" 2>&1; exit "$?"';

/** The command line that sets limits for the rest of the line; empty without limits. */
export function limiting({ memory, cpuTime, processes }: TaskLimits): string[] {
  const options = [
    // Not the address space: some programs reserve far more of it than they use.
    ...(memory === undefined ? [] : [`--data=${memory}:${memory}`]),
    ...(cpuTime === undefined ? [] : [`--cpu=${cpuTime}:${cpuTime}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}:${processes}`]),
  ];
  return options.length === 0 ? [] : ['prlimit', ...options, '--'];
}

/** The command line that runs the rest of the line as a user, with a tag, irrevocably. */
export function asUser({ uid, gid, groups }: TaskUser, tag?: number): string[] {
  const all = tag === undefined ? groups : [...groups, tag];
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    `--groups=${all.join(',')}`,
    '--inh-caps=-all',
    '--ambient-caps=-all',
    '--no-new-privs',
    '--',
  ];
}

/** The command line that runs the rest of the line in its own namespaces, which end with the guard. */
export function inNamespaces(): string[] {
  const unshare = ['unshare', '--pid', '--ipc', '--mount-proc', '--fork', '--kill-child=KILL'];
  // Only /proc is made private, which --mount-proc does by itself: the root of a chroot is no mount that could be.
  return [...unshare, '--propagation=unchanged', '--', '/bin/sh', '-c', INIT, 'orrery-init'];
}

/**
 * The command line that reads the environment from descriptor 5, enters a folder and runs the rest of the
 * line.
 */
export function inFolder(folder: string): string[] {
  return ['/bin/sh', '-c', LOADER, 'orrery-task', folder];
}

/** Names that shells reserve. */
const RESERVED = /^(UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_\w*|_)$/;

/** Whether a shell can export a variable of this name. */
export function canExport(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !RESERVED.test(name);
}

/** An environment in the loader's format; names that no shell can export are left out. */
export function environmentText(environment: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environment)
    .filter(([name]) => canExport(name))
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`);
  return lines.join('');
}
