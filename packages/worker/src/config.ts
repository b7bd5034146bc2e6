/** The configuration of a worker: every setting, what it is unless given, and what is refused. */
import { createHash } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import type { LoadLimits } from '@orrery/core/queue';
import { inheritedEnvironment } from './attempt/environment.ts';
import type { IsolationMode, TaskLimits } from './isolation/launch.ts';
import type { Plugin } from './plugin/contract.ts';

/** All settings of a worker; times in milliseconds, sizes in bytes. */
export interface WorkerConfig {
  /** Its name in the cluster; kept over restarts. */
  readonly name: string;
  /** The worker groups it serves. */
  readonly groups: readonly string[];
  /** How many attempts it runs at once. */
  readonly slots: number;
  /** What it has for attempts that ask: cores, and memory in bytes. */
  readonly cores: number;
  readonly memory: number;
  /** Addresses of masters to turn to; the others are learned from them. */
  readonly masters: readonly string[];
  /** A folder of its own, which no other worker uses: spool, work folders, records of process groups. */
  readonly folder: string;
  /** Where attempts have their folders. Default: `work` in `folder`; with isolation below /var/lib/orrery. */
  readonly work: string;
  /** Where logs are kept. */
  readonly logs: string;
  /** Where the modules of `node` tasks and plugins are found. */
  readonly codeFolder: string;
  /** Task types that come with the product, beside the worker's own. */
  readonly bundled: readonly Plugin[];
  /** Plugins to load: names of packages, or paths of folders. */
  readonly plugins: readonly string[];
  /** Development: `node` tasks may bring their code as text. */
  readonly dev: boolean;
  /** Hosts, addresses and ranges (`10.0.0.0/8`) of the inside that `http` tasks may connect to. */
  readonly httpAllow: readonly string[];
  /** How long a task may take to end when it is told to; then it is killed. */
  readonly killGrace: number;
  /** How long attempts may go on when the worker is stopped. */
  readonly stopGrace: number;
  /** How long a master may take to welcome the worker. */
  readonly connectTimeout: number;
  /** How much of an attempt's output its log keeps. */
  readonly logLimit: number;
  /** How long the log of a run is kept after its last line. */
  readonly logRetention: number;
  /** Of how many runs logs are kept at most. */
  readonly logCount: number;
  /** With less free space in `folder` or `logs` it takes no work. */
  readonly minFreeDisk: number;
  /** With less free memory it takes no work. */
  readonly minFreeMemory: number;
  /** Above which load it takes nothing, where the machine is measured. */
  readonly loadLimits: LoadLimits;
  /** Whether tasks run as the worker's user, each as its tenant's, or in namespaces as well. */
  readonly isolation: IsolationMode;
  /** The system users that tasks may run as: `USER`, or `USER:PROJECT+PROJECT`. */
  readonly tenants: readonly string[];
  /** The system user of workflows that name no tenant. */
  readonly taskUser?: string;
  /** What a process of a task may use. */
  readonly taskLimits: TaskLimits;
  /** Variables of the worker's own environment that task processes inherit besides the usual ones: `AWS_*`, `*`. */
  readonly taskEnvironment: readonly string[];
  /** What task processes inherit. Default: what `taskEnvironment` and the usual names select of the worker's own. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What has to be given. */
export type WorkerSettings = Pick<WorkerConfig, 'name' | 'masters' | 'folder'> & Partial<WorkerConfig>;

/** What every setting is unless given. */
export function workerDefaults(): Omit<WorkerConfig, 'name' | 'masters' | 'folder' | 'logs' | 'work'> {
  return {
    groups: ['default'],
    slots: 4 * availableParallelism(),
    cores: availableParallelism(),
    memory: totalmem(),
    codeFolder: process.cwd(),
    bundled: [],
    plugins: [],
    dev: false,
    httpAllow: listed(process.env.ORRERY_HTTP_ALLOW),
    killGrace: 10_000,
    stopGrace: 30_000,
    connectTimeout: 5_000,
    logLimit: 67_108_864,
    logRetention: 30 * 86_400_000,
    logCount: 100_000,
    minFreeDisk: 16 * 1_048_576,
    minFreeMemory: 16 * 1_048_576,
    loadLimits: { memory: 0.95 },
    taskEnvironment: listed(process.env.ORRERY_TASK_ENVIRONMENT),
    isolation: 'none',
    tenants: [],
    taskLimits: {},
    environment: {},
  };
}

/** Fills in the defaults and refuses what cannot work. */
export function workerConfig(settings: WorkerSettings): WorkerConfig {
  const folder = resolve(settings.folder);
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const named = Object.fromEntries(given) as WorkerSettings;
  const defaults = workerDefaults();
  const environment = inheritedEnvironment(process.env, named.taskEnvironment ?? defaults.taskEnvironment);
  const work = workFolder(folder, named.isolation ?? defaults.isolation);
  const config: WorkerConfig = { ...defaults, environment, logs: `${folder}/logs`, work, ...named, folder };
  refuse(config.name === '', 'name', 'a worker needs a name');
  refuse(config.masters.length === 0, 'masters', 'give the address of at least one master');
  refuse(config.groups.length === 0, 'groups', 'give at least one worker group');
  const count = Number.isSafeInteger(config.slots) && config.slots > 0;
  refuse(!count, 'slots', `${config.slots} is not a whole number above 0`);
  refuse(!(config.cores > 0), 'cores', `${config.cores} is not a number above 0`);
  const bytes = Number.isSafeInteger(config.memory) && config.memory > 0;
  refuse(!bytes, 'memory', `${config.memory} is not a whole number of bytes above 0`);
  for (const key of [
    'killGrace',
    'stopGrace',
    'connectTimeout',
    'logLimit',
    'logRetention',
    'logCount',
    'minFreeDisk',
    'minFreeMemory',
  ] as const)
    refuse(!(config[key] >= 0), key, `${config[key]} is not a number of 0 or more`);
  return {
    ...config,
    logs: resolve(config.logs),
    work: resolve(config.work),
    codeFolder: resolve(config.codeFolder),
  };
}

/** Other users cannot go through the folder of a worker. */
function workFolder(folder: string, isolation: IsolationMode): string {
  if (isolation === 'none') return join(folder, 'work');
  return join('/var/lib/orrery', createHash('sha256').update(folder).digest('hex').slice(0, 16));
}

function listed(text: string | undefined): string[] {
  return (text ?? '').split(',').flatMap((entry) => entry.trim() || []);
}

function refuse(wrong: boolean, at: string, message: string): void {
  if (wrong) throw new InvalidInput(message, `worker ${at}`);
}
