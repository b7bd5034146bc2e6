/** Programs that tests start themselves and that only have to be installed. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { findCommand, type Program } from './service.ts';

/** For browser tests. Without a window a page costs a sixth less. */
export const chromium: Program = {
  name: 'chromium',
  packages: ['chromium-headless-shell'],
  find: () => findCommand('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'),
};

/** For the commands of the API's documentation. */
export const curl: Program = command('curl');

/** For the certificates of a cluster, made by the commands of its documentation. */
export const openssl: Program = command('openssl');

/** For the test in which Java and TypeScript share a job. */
export const maven: Program = {
  name: 'maven',
  packages: ['maven', 'default-jdk-headless'],
  find: () => findCommand('mvn') && findCommand('javac'),
};

/** For the test of processes with a wrong clock. */
export const libfaketime: Program = {
  name: 'libfaketime',
  packages: ['libfaketime'],
  find: findFaketime,
};

/** For the test of a network that is cut between two of its namespaces. */
export const iproute: Program = { name: 'iproute', packages: ['iproute2'], find: () => findCommand('ip') };

/** Where the library is that shifts the clock of a process. */
export function findFaketime(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];
}

/** For the test that the registry refuses it in transaction mode. */
export const pgbouncer: Program = command('pgbouncer');

/** A real server for tests of `ssh` tasks. */
export const sshd: Program = {
  name: 'sshd',
  packages: ['openssh-server', 'openssh-client'],
  find: () => findCommand('sshd') && findCommand('ssh'),
};

/** A real server for tests of tasks on MySQL. */
export const mariadb: Program = {
  name: 'mariadb',
  packages: ['mariadb-server'],
  find: () => findCommand('mariadb-install-db') && findCommand('mariadbd'),
};

/** For tests of `container` tasks. */
export const podman: Program = {
  name: 'podman',
  packages: ['podman', 'runc', 'busybox-static'],
  find: () => findCommand('podman') && findCommand('runc') && findCommand('busybox'),
};

/** For the check of the alert rules. */
export const promtool: Program = {
  name: 'promtool',
  packages: ['prometheus'],
  find: () => findCommand('promtool'),
};

/** For traps of alerts. */
export const snmptrapd: Program = command('snmptrapd');

/** For `python` tasks and the environments of their requirements. */
export const python: Program = {
  name: 'python',
  packages: ['python3', 'python3-venv'],
  find: () => {
    const found = findCommand('python3');
    return found && spawnSync(found, ['-c', 'import ensurepip, venv']).status === 0 ? found : undefined;
  },
};

function command(name: string): Program {
  return { name, packages: [name], find: () => findCommand(name) };
}
