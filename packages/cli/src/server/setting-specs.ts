/** Every setting of `orrery server`: its syntax, the roles that use it, and its default. */
import { isIP } from 'node:net';
import { readSyslogTarget } from '@orrery/api/syslog-target';
import { registryLosses } from '@orrery/cluster';
import { InvalidInput } from '@orrery/core/errors';
import { logLevels } from '@orrery/core/log';
import { parseDuration, parseSize } from '@orrery/core/model';
import { parseAddress } from '@orrery/wire/address';
import { isolationModes } from '@orrery/worker/isolation';
import { DEFAULT_DATA } from '../db/place.ts';
import { jobCenter } from '../jobs/job-center.ts';
import { logFormats } from '../node/open-log.ts';
import { type Role, roles } from '../node/options.ts';

/** One setting. Option, environment variable and key of the file follow from its name in the table. */
export interface Spec<T> {
  /** The text in the help. */
  readonly text: string;
  /** The placeholder of the value in the help; without it, a flag that takes no value. */
  readonly value?: string;
  /** The roles that use it; all if missing. */
  readonly roles?: readonly Role[];
  /** Lists are separated by commas, options may also be repeated. */
  readonly list?: true;
  /** Separates the entries of a list whose entries may contain commas. */
  readonly separator?: RegExp;
  readonly secret?: true;
  readonly otherwise?: string;
  /** Parses a text, or one entry of a list. Throws with the accepted values. */
  read(text: string): T;
}

const text = (given: string): string => given;
const address = (given: string) => parseAddress(given);

/** The settings by name. */
export const specs = {
  role: {
    text: 'what this process is: master, worker, api or several',
    value: 'roles',
    list: true,
    read: role,
  },
  name: {
    text: 'its name, unlike all others of the cluster (default: from machine, role and port)',
    value: 'name',
    read: name,
  },
  data: {
    text: 'where logs, work files and the embedded database lie',
    value: 'folder',
    otherwise: DEFAULT_DATA,
    read: text,
  },
  database: {
    text: 'the PostgreSQL that masters and api share',
    value: 'url',
    roles: ['master', 'api'],
    read: database,
  },
  logFormat: {
    text: 'how log lines are written: text, or json for machines',
    value: 'format',
    otherwise: 'text',
    read: oneOf(logFormats),
  },
  logLevel: {
    text: 'which log lines are written: debug, info, warn or error, and those above it',
    value: 'level',
    otherwise: 'info',
    read: oneOf(logLevels),
  },
  listen: {
    text: 'where a master is reached',
    value: 'host:port',
    roles: ['master'],
    otherwise: '127.0.0.1:7071',
    read: address,
  },
  logListen: {
    text: 'where the logs of a worker are read; port 0 takes any free one',
    value: 'host:port',
    roles: ['worker'],
    otherwise: '127.0.0.1:0',
    read: address,
  },
  advertise: {
    text: 'the host that others are told (default: the one listened on, or the name of the machine)',
    value: 'host',
    roles: ['master', 'worker'],
    read: hostOnly,
  },
  join: {
    text: 'masters that a worker turns to; it learns of the others',
    value: 'host:port',
    roles: ['worker'],
    list: true,
    read: joined,
  },
  joinToken: {
    text: 'the secret that all nodes of the cluster share; better --join-token-file',
    value: 'token',
    secret: true,
    read: token,
  },
  joinTokenFile: {
    text: 'a file with the join token, or with several, a line each: the first is shown to others, all are accepted',
    value: 'file',
    read: text,
  },
  openJoin: {
    text: 'let workers of other machines join with the join token alone, for any group: without invitations',
    roles: ['master'],
    otherwise: 'false',
    read: flag,
  },
  lease: {
    text: 'how long a worker without contact goes on with its tasks; the same for all masters',
    value: 'duration',
    roles: ['master'],
    otherwise: '30s',
    read: lease,
  },
  sessionTimeout: {
    text: 'how long a master may be silent before another takes over; the same for all masters',
    value: 'duration',
    roles: ['master', 'api'],
    otherwise: '6s',
    read: session,
  },
  registry: {
    text: 'who judges which masters are alive: postgres://…, zookeeper://…, etcd://… or none (default: the database)',
    value: 'url',
    roles: ['master'],
    read: registry,
  },
  registryTimeout: {
    text: 'the session timeout to ask the registry for; it may agree to another',
    value: 'duration',
    roles: ['master'],
    otherwise: '3s',
    read: registrySession,
  },
  cluster: {
    text: 'the name of the cluster in the registry; the same for all masters',
    value: 'name',
    roles: ['master'],
    otherwise: 'main',
    read: name,
  },
  onRegistryLoss: {
    text: 'what a master does without the registry: pause, exit or continue',
    value: 'what',
    roles: ['master'],
    otherwise: 'pause',
    read: oneOf(registryLosses),
  },
  strategy: {
    text: 'how schedules are divided when this master leads: range, balanced, weighted, consistent-hash or a package',
    value: 'name',
    roles: ['master'],
    otherwise: 'range',
    read: text,
  },
  weight: {
    text: 'how much a master should hold compared with the others, for the strategy "weighted"',
    value: 'number',
    roles: ['master'],
    otherwise: '1',
    read: (given: string) => whole(given, 1, 1_000_000),
  },
  room: {
    text: 'how many runs a master holds before new ones wait',
    value: 'number',
    roles: ['master'],
    otherwise: '2000',
    read: (given: string) => whole(given, 1, 1_000_000),
  },
  maxCpu: share('processor use'),
  maxMemory: { ...share('memory use'), otherwise: '95%' },
  maxDelay: {
    text: 'event-loop delay above which a master starts no runs',
    value: 'duration',
    roles: ['master'],
    otherwise: '5s',
    read: duration,
  },
  consoleUrl: {
    text: 'the address at which people reach the console, for links in messages',
    value: 'url',
    roles: ['master'],
    read: (text) => text.replace(/\/+$/, ''),
  },
  maxClockSkew: {
    text: 'how far the clock may differ from that of the database before ticks wait until it was measured twice',
    value: 'duration',
    roles: ['master', 'api'],
    otherwise: '5s',
    read: duration,
  },
  group: {
    text: 'the groups that a worker serves',
    value: 'name',
    roles: ['worker'],
    list: true,
    otherwise: 'default',
    read: name,
  },
  slots: {
    text: 'how many attempts a worker runs at once (default: four for each processor)',
    value: 'number',
    roles: ['worker'],
    read: positive,
  },
  cores: {
    text: 'the cores that a worker has for tasks that ask for some (default: those of the machine)',
    value: 'number',
    roles: ['worker'],
    read: cores,
  },
  memory: {
    text: 'the memory that a worker has for tasks that ask for some, such as 8GB (default: that of the machine)',
    value: 'size',
    roles: ['worker'],
    read: parseSize,
  },
  stopGrace: {
    text: 'how long attempts may go on when a worker is told to stop',
    value: 'duration',
    roles: ['worker'],
    otherwise: '30s',
    read: text,
  },
  code: {
    text: 'where modules of node tasks and plugins are found',
    value: 'folder',
    roles: ['worker', 'api'],
    otherwise: '.',
    read: text,
  },
  plugin: {
    text: 'plugins of workers: packages or folders; workers tell the api of them',
    value: 'name',
    roles: ['worker', 'api'],
    list: true,
    read: text,
  },
  maxBacklog: {
    text: 'how many starts may wait for a master before the api refuses more',
    value: 'number',
    roles: ['api'],
    otherwise: '100000',
    read: (given: string) => whole(given, 1, 10_000_000),
  },
  host: {
    text: 'where the api listens',
    value: 'host',
    roles: ['api'],
    otherwise: '127.0.0.1',
    read: hostOnly,
  },
  port: { text: 'where the api listens', value: 'port', roles: ['api'], otherwise: '7070', read: port },
  token: {
    text: 'the token of the api; better --token-file',
    value: 'token',
    roles: ['api'],
    secret: true,
    read: token,
  },
  tokenFile: { text: 'a file with the token of the api', value: 'file', roles: ['api'], read: text },
  noToken: {
    text: 'serve the api without a token, on loopback only: everyone on this machine may do everything',
    roles: ['api'],
    otherwise: 'false',
    read: flag,
  },
  basePath: {
    text: 'the path under which a proxy puts the api and the console, such as /orrery',
    value: 'path',
    roles: ['api'],
    read: path,
  },
  trustedProxy: {
    text: 'proxies whose X-Forwarded-For names the caller: addresses or ranges such as 10.0.0.0/8',
    value: 'cidr',
    roles: ['api'],
    list: true,
    read: range,
  },
  auditSyslog: {
    text: 'where the audit is sent as it grows: udp://HOST:PORT, tcp://HOST:PORT or unix:/PATH',
    value: 'target',
    roles: ['api'],
    read: readSyslogTarget,
  },
  metricsListen: {
    text: 'where metrics are read of a process without api',
    value: 'host:port',
    roles: ['master', 'worker'],
    read: address,
  },
  jobs: {
    text: 'elastic jobs to see and drive: NAMESPACE=REGISTRY-URL, NAME=REGISTRY-URL#NAMESPACE, or zookeeper://HOST/NAMESPACE',
    value: 'name=url',
    roles: ['api'],
    list: true,
    separator: /\s+/,
    // Urls may hold passwords.
    secret: true,
    read: jobCenter,
  },
  httpAllow: {
    text: 'hosts, addresses and ranges of the inside that http tasks may connect to',
    value: 'host',
    roles: ['worker'],
    list: true,
    read: text,
  },
  taskEnvironment: {
    text: 'variables that tasks inherit from the worker besides the usual ones: AWS_*, or * for all',
    value: 'name',
    roles: ['worker'],
    list: true,
    read: text,
  },
  isolation: {
    text: 'how a worker keeps tasks apart: none, user (each runs as its tenant), or namespaces (as user, and sees no other process)',
    value: 'what',
    roles: ['worker'],
    otherwise: 'none',
    read: oneOf(isolationModes),
  },
  tenant: {
    text: 'the system users that tasks may run as: USER, or USER:PROJECT+PROJECT for some projects alone',
    value: 'user',
    roles: ['worker'],
    list: true,
    read: text,
  },
  taskUser: {
    text: 'the system user of tasks whose workflow names no tenant',
    value: 'user',
    roles: ['worker'],
    read: text,
  },
  work: {
    text: 'where tasks have their folders (default: in --data; with isolation below /var/lib/orrery)',
    value: 'folder',
    roles: ['worker'],
    read: text,
  },
  taskMemory: {
    text: 'the memory that each process of a task may have, such as 2GB',
    value: 'size',
    roles: ['worker'],
    read: parseSize,
  },
  taskCpuTime: {
    text: 'the processor time that each process of a task may use, in whole seconds',
    value: 'duration',
    roles: ['worker'],
    read: seconds,
  },
  taskProcesses: {
    text: 'how many processes the user of a task may have',
    value: 'number',
    roles: ['worker'],
    read: (given: string) => whole(given, 1, 4_194_304),
  },
  secrets: {
    text: 'the folder of secrets: a file for each, or for each of a project in a folder of its name',
    value: 'folder',
    roles: ['master', 'api'],
    read: text,
  },
  keepRuns: kept('finished runs', '90d'),
  maxRuns: counted('runs', '1000000'),
  keepFacts: kept('the ends of runs, on which other workflows may depend,', '400d'),
  keepTicks: kept('ticks of schedules', '90d'),
  maxTicks: counted('ticks of schedules', '1000000'),
  keepHistory: kept('entries of who did what', '400d'),
  maxHistory: counted('entries of who did what', '1000000'),
  keepEvents: kept('events for those who watch', '1h'),
  maxEvents: counted('events of each node', '100000'),
  keepBulks: kept('changes of many runs at once', '90d'),
  keepNodes: kept('nodes and workers that are gone', '7d'),
  keepKeys: kept('idempotency keys', '1d'),
  maxKeys: counted('idempotency keys', '1000000'),
  keepLogs: {
    text: 'how long the logs of a run are kept after their last line',
    value: 'duration',
    roles: ['worker'],
    otherwise: '30d',
    read: duration,
  },
  maxLogs: { ...counted('runs that have logs on a worker', '100000'), roles: ['worker'] },
  tlsCert: { text: 'the certificate of this node (PEM)', value: 'file', read: text },
  tlsKey: { text: 'the key of that certificate (PEM)', value: 'file', read: text },
  tlsVerifyClients: {
    text: 'refuse callers that show no certificate signed by --tls-ca',
    roles: ['master', 'worker'],
    otherwise: 'false',
    read: flag,
  },
  tlsCa: { text: 'who signs the certificates of the cluster (PEM)', value: 'file', read: text },
} as const satisfies Record<string, Spec<unknown>>;

/** How long masters keep something that is over. */
function kept(what: string, otherwise: string): Spec<number> & { readonly otherwise: string } {
  return {
    text: `how long ${what} are kept`,
    value: 'duration',
    roles: ['master'],
    otherwise,
    read: duration,
  };
}

/** How many of something that is over masters keep. */
function counted(what: string, otherwise: string): Spec<number> & { readonly otherwise: string } {
  const read = (given: string) => whole(given, 1, 1_000_000_000);
  return { text: `how many ${what} are kept at most`, value: 'number', roles: ['master'], otherwise, read };
}

/** The use of the machine above which a node takes no work. */
function share(what: string): Spec<number> {
  return {
    text: `${what} of the machine above which a master starts no runs and a worker takes nothing, such as 90%`,
    value: 'percent',
    roles: ['master', 'worker'],
    read: percent,
  };
}

/** The name of a setting. */
export type SettingName = keyof typeof specs;

/** `joinToken` on the command line. */
export function flagOf(setting: string): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `joinToken` in the environment. */
export function variableOf(setting: string): string {
  return `ORRERY_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

function role(given: string): Role {
  const found = roles.find((each) => each === given);
  if (!found)
    throw new InvalidInput(`"${given}" is no role; a process is ${roles.join(', ')} or several of them`);
  return found;
}

function name(given: string): string {
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(given))
    throw new InvalidInput(`"${given}" cannot be a name; use letters, digits, ".", "_" and "-", 100 at most`);
  return given;
}

function database(given: string): string {
  if (!/^postgres(ql)?:\/\//.test(given))
    throw new InvalidInput('the address of a database starts with postgres://');
  return given;
}

function hostOnly(given: string): string {
  if (!/^[\w.:-]+$/.test(given))
    throw new InvalidInput(`"${given}" is no host; write a name or an address without port`);
  return given;
}

function joined(given: string): string {
  if (parseAddress(given).port === 0) throw new InvalidInput(`"${given}" has no port; write HOST:PORT`);
  return given;
}

function path(given: string): string {
  if (!/^(\/[\w.-]+)+$/.test(given))
    throw new InvalidInput(`"${given}" is no path; write /orrery, without a slash at its end`);
  return given;
}

/** It travels in a header, where spaces at its ends would be lost. */
function token(given: string): string {
  if (!/^[\x21-\x7e]+$/.test(given))
    throw new InvalidInput('use letters, digits and signs of ASCII, without spaces');
  return given;
}

function flag(given: string): boolean {
  if (given !== 'true' && given !== 'false') throw new InvalidInput(`"${given}" is neither true nor false`);
  return given === 'true';
}

function duration(given: string): number {
  return parseDuration(given);
}

/** A shorter one would run out whenever a machine or the database is slow; timers of Node end after 24 days. */
function lease(given: string): number {
  const length = parseDuration(given);
  if (length < 2_000 || length > 86_400_000) throw new InvalidInput(`"${given}" is no lease; write 2s to 1d`);
  return length;
}

/** Beats come every second, and three must be missed. */
function session(given: string): number {
  const length = parseDuration(given);
  if (length < 3_000 || length > 3_600_000)
    throw new InvalidInput(`"${given}" is no session timeout; write 3s to 1h`);
  return length;
}

/** Opening the registry reports errors in the rest of the url. */
function registry(given: string): string {
  if (given !== 'none' && !/^(postgres|postgresql|zookeeper|etcd):\/\//.test(given))
    throw new InvalidInput(
      'the registry is postgres://host/db, zookeeper://h1,h2/path, etcd://h1,h2/path or none',
    );
  return given;
}

function registrySession(given: string): number {
  const length = parseDuration(given);
  if (length < 1_000 || length > 600_000)
    throw new InvalidInput(`"${given}" is no session timeout of a registry; write 1s to 10m`);
  return length;
}

function oneOf<T extends string>(accepted: readonly T[]): (given: string) => T {
  return (given) => {
    const found = accepted.find((each) => each === given);
    if (!found) throw new InvalidInput(`"${given}" is none of ${accepted.join(', ')}`);
    return found;
  };
}

function seconds(given: string): number {
  const value = parseDuration(given) / 1_000;
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidInput(`"${given}" is not a number of whole seconds`);
  return value;
}

function percent(given: string): number {
  const [, number] = /^(\d{1,3})%$/.exec(given) ?? [];
  const value = Number(number);
  if (number === undefined || value < 1 || value > 100)
    throw new InvalidInput(`"${given}" is no share; write 1% to 100%`);
  return value / 100;
}

function positive(given: string): number {
  return whole(given, 1, 10_000);
}

function cores(given: string): number {
  const value = Number(given);
  if (!(value > 0 && value <= 4_096))
    throw new InvalidInput(`"${given}" is no number of cores; write 0.5 to 4096`);
  return value;
}

function port(given: string): number {
  return whole(given, 0, 65_535);
}

function whole(given: string, least: number, most: number): number {
  const value = Number(given);
  if (given.trim() === '' || !Number.isInteger(value) || value < least || value > most)
    throw new InvalidInput(`"${given}" is no whole number from ${least} to ${most}`);
  return value;
}

/** An address, or a network of them. */
function range(given: string): string {
  const [address, bits, ...rest] = given.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isWhole = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (most < 0 || !isWhole || rest.length > 0)
    throw new InvalidInput(`"${given}" is not an address or a range such as 10.0.0.0/8`);
  // A client that may write the header chooses its own address.
  if (bits === '0') throw new InvalidInput(`"${given}" trusts everyone; name the proxies`);
  return given;
}
