/** Converts settings to the options of a process. Refuses missing and conflicting settings. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { SHORTEST_TOKEN } from '@orrery/api';
import { InvalidInput } from '@orrery/core/errors';
import type { Log } from '@orrery/core/log';
import { parseDuration } from '@orrery/core/model';
import { type RetentionConfig, retentionDefaults } from '@orrery/master';
import { isLoopback } from '@orrery/wire/address';
import type { Tls } from '@orrery/wire/network';
import { networkDefaults } from '@orrery/wire/network-options';
import { builtConsole } from '../dev/console.ts';
import { checkCenters } from '../jobs/job-center.ts';
import { requireFolder } from '../node/folders.ts';
import type { NodeOptions, Role } from '../node/options.ts';
import { secretReader } from '../node/secrets.ts';
import { flagOf } from './setting-specs.ts';
import type { Effective, Settings } from './settings.ts';
import { readTokens } from './token-file.ts';

/** Off loopback, anyone who guesses the token can join as a worker and receives tasks with their secrets. */
const SHORTEST_JOIN_TOKEN = 16;

/** What `startNode` needs. */
export function nodeOptions(given: Settings, effective: readonly Effective[], log: Log): NodeOptions {
  const settings = { ...given, token: tokensOf(given, 'token')[0] };
  const { role: roles = [], data: folder = '.', database, join = [], ...rest } = settings;
  const joinTokens = tokensOf(given, 'joinToken');
  const has = (role: Role): boolean => roles.includes(role);
  refuse(
    roles.length === 0,
    'say what this process is: --role master, worker, api or several, as in --role master,api',
  );
  refuse(
    has('worker') && !has('master') && join.length === 0,
    'a worker needs the address of a master: --join HOST:PORT',
  );
  refuse(
    has('master') !== has('api') && database === undefined,
    `masters and api share a database: --database postgres://…, or one process with --role ${['master', 'api', ...(has('worker') ? ['worker'] : [])].join(',')}`,
  );
  if (has('worker')) requireFolder(rest.code, '--code');
  requireFolder(rest.secrets, '--secrets');
  if (has('api')) checkToken(settings, effective, log);
  const tls = tlsOf(settings, has('master') || has('worker'));
  const open = [has('master') && rest.listen, has('worker') && rest.logListen];
  refuse(
    joinTokens.some(({ length }) => length < SHORTEST_JOIN_TOKEN) &&
      open.some((address) => address && !isLoopback(address.host)),
    `a join token of fewer than ${SHORTEST_JOIN_TOKEN} characters can be guessed: give others one of openssl rand -hex 32, or listen on loopback`,
  );
  if (!tls && open.some((address) => address && !isLoopback(address.host)))
    log(
      'warn',
      'without TLS the join token and what nodes tell each other can be read on the way; see --tls-ca',
    );
  if (has('worker') && given.joinToken !== undefined)
    log(
      'warn',
      'the join token is in the settings or the environment of this worker, where its tasks may read it; see --join-token-file',
    );
  return {
    roles: [...new Set(roles)],
    name: rest.name ?? nameOf(settings, roles),
    folder,
    database,
    network: { ...networkDefaults, token: joinTokens[0], accepted: joinTokens, tls },
    listen: rest.listen,
    logListen: rest.logListen,
    advertise: rest.advertise,
    join,
    openJoin: rest.openJoin,
    lease: rest.lease,
    sessionTimeout: rest.sessionTimeout,
    registry: rest.registry,
    registryTimeout: rest.registryTimeout,
    cluster: rest.cluster,
    onRegistryLoss: rest.onRegistryLoss,
    strategy: rest.strategy,
    weight: rest.weight,
    room: rest.room,
    loadLimits: { cpu: rest.maxCpu, memory: rest.maxMemory, eventLoopDelay: rest.maxDelay },
    maxClockSkew: rest.maxClockSkew,
    consoleUrl: rest.consoleUrl,
    groups: rest.group,
    slots: rest.slots,
    cores: rest.cores,
    memory: rest.memory,
    stopGrace: rest.stopGrace === undefined ? undefined : parseDuration(rest.stopGrace),
    retention: retentionOf(settings),
    logRetention: rest.keepLogs,
    logCount: rest.maxLogs,
    codeFolder: rest.code ?? '.',
    plugins: rest.plugin ?? [],
    maxBacklog: rest.maxBacklog,
    host: rest.host,
    port: rest.port,
    token: rest.token,
    basePath: rest.basePath,
    trustedProxy: rest.trustedProxy,
    auditSyslog: rest.auditSyslog,
    metricsListen: rest.metricsListen,
    httpAllow: rest.httpAllow,
    taskEnvironment: rest.taskEnvironment,
    isolation: rest.isolation,
    tenants: rest.tenant,
    taskUser: rest.taskUser,
    taskLimits: { memory: rest.taskMemory, cpuTime: rest.taskCpuTime, processes: rest.taskProcesses },
    work: rest.work,
    jobs: checkCenters(rest.jobs ?? []),
    readSecret: secretReader({ folder: rest.secrets, environment: process.env }),
    console: has('api') ? builtConsole() : undefined,
    dev: false,
    config: effective,
    log,
  };
}

/** The tokens from values or files: the first is sent to other nodes, all are accepted. */
function tokensOf(settings: Settings, name: 'token' | 'joinToken'): readonly string[] {
  const token = settings[name];
  const path = settings[`${name}File`];
  const option = flagOf(`${name}File`);
  refuse(
    token !== undefined && path !== undefined,
    `${flagOf(name)} and ${option} exclude each other; remove one`,
  );
  if (path !== undefined) return readTokens(path, option);
  return token === undefined ? [] : [token];
}

/** The retention according to the settings. */
export function retentionOf(settings: Settings): RetentionConfig {
  const usual = retentionDefaults;
  return {
    runs: settings.keepRuns ?? usual.runs,
    maxRuns: settings.maxRuns ?? usual.maxRuns,
    facts: settings.keepFacts ?? usual.facts,
    ticks: settings.keepTicks ?? usual.ticks,
    maxTicks: settings.maxTicks ?? usual.maxTicks,
    history: settings.keepHistory ?? usual.history,
    maxHistory: settings.maxHistory ?? usual.maxHistory,
    events: settings.keepEvents ?? usual.events,
    maxEvents: settings.maxEvents ?? usual.maxEvents,
    bulks: settings.keepBulks ?? usual.bulks,
    nodes: settings.keepNodes ?? usual.nodes,
    keys: settings.keepKeys ?? usual.keys,
    maxKeys: settings.maxKeys ?? usual.maxKeys,
  };
}

/** Requires a token for the API, unless it was declined and only this machine can reach the API. */
function checkToken(
  { token, noToken = false, host = '' }: Settings,
  effective: readonly Effective[],
  log: Log,
): void {
  const named = (name: string) =>
    `${name} (from ${effective.find((setting) => setting.name === name)?.source})`;
  refuse(
    token !== undefined && noToken,
    `${named('noToken')} and ${named('token')} exclude each other; remove one`,
  );
  refuse(
    token === undefined && !noToken,
    'the API needs a token: make one with "openssl rand -hex 32" and give it by --token-file or ORRERY_TOKEN; --no-token starts without one, on loopback only',
  );
  refuse(
    token !== undefined && token.length < SHORTEST_TOKEN && !isLoopback(host),
    `a token of fewer than ${SHORTEST_TOKEN} characters can be guessed: make one with "openssl rand -hex 32", or listen on loopback`,
  );
  if (!noToken) return;
  refuse(
    !isLoopback(host),
    `--no-token is for loopback only; others can reach ${host}: give the API a token`,
  );
  log(
    'warn',
    '--no-token: everyone who can reach the API can run commands as the user of the workers; it listens on loopback only',
  );
}

function tlsOf(
  { tlsCert, tlsKey, tlsCa, tlsVerifyClients = false }: Settings,
  serves: boolean,
): Tls | undefined {
  refuse((tlsCert === undefined) !== (tlsKey === undefined), '--tls-cert and --tls-key go together');
  refuse(
    tlsCert !== undefined && tlsCa === undefined,
    '--tls-cert needs --tls-ca too: by it other nodes are known',
  );
  refuse(
    serves && tlsCa !== undefined && tlsCert === undefined,
    'masters and workers serve others: with --tls-ca they need --tls-cert and --tls-key too',
  );
  refuse(
    tlsVerifyClients && tlsCa === undefined,
    '--tls-verify-clients needs --tls-ca: it signs what callers show',
  );
  if (tlsCa === undefined) return undefined;
  const own = tlsCert !== undefined && tlsKey !== undefined && { cert: pem(tlsCert), key: pem(tlsKey) };
  return { ca: pem(tlsCa), verifyClients: tlsVerifyClients, ...(own && { own }) };
}

function pem(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new InvalidInput((error as Error).message, path);
  }
  refuse(!text.includes('-----BEGIN '), `${path} is no PEM file: no line "-----BEGIN …" in it`);
  return text;
}

/** The same after a restart, and another for each process of a machine that is set up in earnest. */
function nameOf({ listen, port, data = '.' }: Settings, roles: readonly Role[]): string {
  const machine =
    hostname()
      .split('.')[0]
      .replace(/[^\w-]/g, '-') || 'node';
  if (roles.includes('master')) return `${machine}-master-${listen?.port}`;
  if (roles.includes('api')) return `${machine}-api-${port}`;
  return `${machine}-worker-${createHash('sha256').update(resolve(data)).digest('hex').slice(0, 8)}`;
}

function refuse(wrong: boolean, message: string): void {
  if (wrong) throw new InvalidInput(message);
}
