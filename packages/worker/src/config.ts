/** The configuration of a worker: every setting, its default, and its validation. */
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
  /** Its name in the cluster; the same after a restart. */
  readonly name: string;
  /** The worker groups it serves. */
  readonly groups: readonly string[];
  /** Limit of attempts running at once. */
  readonly slots: number;
  /** Resources for attempts that request them: cores, and memory in bytes. */
  readonly cores: number;
  readonly memory: number;
  /** Addresses of masters to connect to first; the others are learned from them. */
  readonly masters: readonly string[];
  /** A folder that no other worker uses: spool, work folders, records of process groups. */
  readonly folder: string;
  /** The parent of the work folders. Default: `work` in `folder`; with isolation, below /var/lib/orrery. */
  readonly work: string;
  /** Where logs are kept. */
  readonly logs: string;
  /** Where the modules of `node` tasks and plugins are found. */
  readonly codeFolder: string;
  /** Task types that ship with the product, in addition to the worker's plugins. */
  readonly bundled: readonly Plugin[];
  /** Plugins to load: names of packages, or paths of folders. */
  readonly plugins: readonly string[];
  /** Development: `node` tasks may bring their code as text. */
  readonly dev: boolean;
  /** Private hosts, addresses and ranges (`10.0.0.0/8`) that `http` tasks may connect to. */
  readonly httpAllow: readonly string[];
  /** How long a stopped task may take to end before it is killed. */
  readonly killGrace: number;
  /** How long attempts may run on when the worker is stopped. */
  readonly stopGrace: number;
  /** How long a master may take to welcome the worker. */
  readonly connectTimeout: number;
  /** Limit of an attempt's output in its log. */
  readonly logLimit: number;
  /** How long the log of a run is kept after its last line. */
  readonly logRetention: number;
  /** Limit of runs whose logs are kept. */
  readonly logCount: number;
  /** Below this free space in `folder` or `logs` the worker takes no work. */
  readonly minFreeDisk: number;
  /** Below this free memory the worker takes no work. */
  readonly minFreeMemory: number;
  /** Load above which the worker takes no work, if the machine is measured. */
  readonly loadLimits: LoadLimits;
  /** Whether tasks run as the worker's user, each as its tenant's, or in namespaces as well. */
  readonly isolation: IsolationMode;
  /** The system users that tasks may run as: `USER`, or `USER:PROJECT+PROJECT`. */
  readonly tenants: readonly string[];
  /** The system user of workflows that name no tenant. */
  readonly taskUser?: string;
  /** Limits of a task process. */
  readonly taskLimits: TaskLimits;
  /** Variables of the worker's environment that tasks inherit besides the usual ones: `AWS_*`, `*`. */
  readonly taskEnvironment: readonly string[];
  /**
   * The variables that tasks inherit. Default: those of the worker that `taskEnvironment` and the usual names
   * select.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/** Required settings. */
export type WorkerSettings = Pick<WorkerConfig, 'name' | 'masters' | 'folder'> & Partial<WorkerConfig>;

/** Defaults of a worker's settings. */
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

/** Fills in defaults and rejects invalid settings. */
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

/** Other users cannot enter the folder of a worker. */
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
