/** Every setting of `orrery server`: how it is written, who needs it, what it is unless given. */
import { InvalidInput } from '@orrery/core/errors';
import { parseDuration } from '@orrery/core/model';
import { parseAddress } from '@orrery/wire/address';
import { DEFAULT_DATA } from '../db/place.ts';
import { jobCenter } from '../jobs/job-center.ts';
import { type Role, roles } from '../node/options.ts';

/** One setting. Option, environment variable and key of the file follow from its name in the table. */
export interface Spec<T> {
  /** What the help says. */
  readonly text: string;
  /** What stands for the value in the help; none: a flag, whose option has no value. */
  readonly value?: string;
  /** The roles that use it; all where not said. */
  readonly roles?: readonly Role[];
  /** Lists are separated by commas, options may also be repeated. */
  readonly list?: true;
  /** What separates the entries of a list whose entries may hold commas. */
  readonly separator?: RegExp;
  readonly secret?: true;
  readonly otherwise?: string;
  /** Reads a text, one of a list where it is one; refuses with what is accepted. */
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
    text: 'the secret that all nodes of the cluster share',
    value: 'token',
    secret: true,
    read: token,
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
  token: { text: 'the token of the api', value: 'token', roles: ['api'], secret: true, read: token },
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
  metricsListen: {
    text: 'where metrics are read of a process without api',
    value: 'host:port',
    roles: ['master', 'worker'],
    read: address,
  },
  jobs: {
    text: 'elastic jobs to see and drive: NAMESPACE=REGISTRY-URL, or NAME=REGISTRY-URL#NAMESPACE',
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

function port(given: string): number {
  return whole(given, 0, 65_535);
}

function whole(given: string, least: number, most: number): number {
  const value = Number(given);
  if (given.trim() === '' || !Number.isInteger(value) || value < least || value > most)
    throw new InvalidInput(`"${given}" is no whole number from ${least} to ${most}`);
  return value;
}
