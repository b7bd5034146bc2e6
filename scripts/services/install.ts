/** Installing programs from Debian packages, without letting a package start a service of its own. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { locked } from './records.ts';
import { findCommand, type Program } from './service.ts';

// Packages ask this program before they start a service; 101 means no.
const POLICY = '/usr/sbin/policy-rc.d';
// Only root gets here, for every working copy on the machine; apt itself does not wait for its lock on lists.
const LOCK_FOLDER = '/run/orrery-install';

/**
 * Installs the missing ones and prints one line per program. Throws with what to do by hand where it cannot: without
 * apt, or without root.
 */
export async function install(programs: readonly Program[]): Promise<void> {
  const absent = missing(programs);
  for (const program of programs) if (!absent.includes(program)) tell(program, 'found');
  if (absent.length === 0) return;
  if (!findCommand('apt-get')) {
    throw new Error(
      `no apt-get here: install ${names(absent)} by hand, so that the commands are on the search` +
        ' path (ZooKeeper: java, and ZOOKEEPER_HOME set to an unpacked release)',
    );
  }
  if (process.getuid?.() === 0) await locked(LOCK_FOLDER, async () => aptInstall(missing(programs)));
  else installWithSudo(absent);
  if (missing(programs).length > 0) throw new Error(`installed but not found: ${names(missing(programs))}`);
  for (const program of absent) tell(program, `installed (${program.packages.join(', ')})`);
}

function tell(program: Program, how: string): void {
  console.log(`${program.name}: ${how}, ${program.find()}`);
}

function missing(programs: readonly Program[]): Program[] {
  return programs.filter((program) => !program.find());
}

function names(programs: readonly Program[]): string {
  return programs.map((program) => program.name).join(' ');
}

function packagesOf(programs: readonly Program[]): string[] {
  return programs.flatMap((program) => program.packages);
}

function aptInstall(programs: readonly Program[]): void {
  if (programs.length === 0) return;
  console.log(`installing ${packagesOf(programs).join(' ')}`);
  const guarded = guard();
  try {
    run('apt-get', 'update');
    run('apt-get', 'install', '-y', '--no-install-recommends', ...packagesOf(programs));
  } finally {
    if (guarded) rmSync(POLICY, { force: true });
  }
}

/** Forbids service starts. Returns false if the machine has a policy of its own, which is then kept. */
function guard(): boolean {
  try {
    writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Runs this script's own install as root, where sudo asks for no password. */
function installWithSudo(programs: readonly Program[]): void {
  if (!findCommand('sudo') || spawnSync('sudo', ['-n', 'true']).status !== 0) {
    const command = `sudo apt-get install -y --no-install-recommends ${packagesOf(programs).join(' ')}`;
    throw new Error(`installing needs root; run: ${command}`);
  }
  const script = `${import.meta.dirname}.ts`;
  run('sudo', '-n', process.execPath, script, 'install', ...programs.map((program) => program.name));
}

function run(command: string, ...args: string[]): void {
  // Java, which some packages run when they are installed, would leave a folder in /tmp.
  const java = { JAVA_TOOL_OPTIONS: '-XX:-UsePerfData' };
  const env = { ...process.env, ...java, DEBIAN_FRONTEND: 'noninteractive' };
  const result = spawnSync(command, args, { env, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  if (result.status === 0) return;
  const reason = result.error?.message ?? `${result.stdout}${result.stderr}`;
  throw new Error(`${command} ${args.join(' ')} failed:\n${reason}`);
}
