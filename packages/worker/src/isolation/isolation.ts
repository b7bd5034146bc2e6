/**
 * How a worker isolates tasks: `none` runs them as the worker's user, `user` runs each as its tenant's user,
 * `namespaces` also in their own process namespaces. A worker tests at start what the system allows. If it
 * cannot isolate as configured, it reports that and hands back every attempt that would start a process.
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { InvalidInput } from '@orrery/core/errors';
import type { Assignment } from '@orrery/wire/frames';
import { WorkerFault } from '../health/worker-fault.ts';
import { TaskFailure } from '../plugin/contract.ts';
import {
  asUser,
  type IsolationMode,
  inFolder,
  inNamespaces,
  isolationModes,
  limiting,
  type TaskLimits,
} from './launch.ts';
import { freshTag } from './tag.ts';
import { findUser, type TaskUser, tenantRule } from './task-user.ts';

const run = promisify(execFile);

/** How long the system may take to start a process. */
const PATIENCE = 20_000;

/** The isolation settings of a worker. */
export interface IsolationConfig {
  readonly isolation: IsolationMode;
  /** The system users that tasks may run as: `USER`, or `USER:PROJECT+PROJECT`. */
  readonly tenants: readonly string[];
  /** The system user of workflows that name no tenant. */
  readonly taskUser?: string;
  readonly taskLimits: TaskLimits;
  /** The parent of the work folders. */
  readonly work: string;
}

/** A system user and the projects that may use it. */
interface Tenant {
  readonly user: TaskUser;
  readonly projects?: readonly string[];
}

/** One for each worker. */
export class Isolation {
  readonly mode: IsolationMode;
  /** Why tasks cannot be isolated as configured. */
  readonly problem: string | undefined;
  private readonly limits: TaskLimits;
  private readonly tenants: ReadonlyMap<string, Tenant>;

  private constructor(
    { isolation, taskLimits }: IsolationConfig,
    tenants: ReadonlyMap<string, Tenant>,
    problem?: string,
  ) {
    this.mode = isolation;
    this.limits = taskLimits;
    this.tenants = tenants;
    this.problem = problem;
  }

  /** Looks up the users and tests the configured isolation. */
  static async open(config: IsolationConfig): Promise<Isolation> {
    const tenants = await tenantsOf(config);
    const problem = await findProblem(config, [...tenants.values()]);
    return new Isolation(config, tenants, problem);
  }

  /** The user of an attempt; undefined if all run as the worker's. Throws if the tenant may not run here. */
  userOf({ tenant = 'default', project }: Pick<Assignment, 'tenant' | 'project'>): TaskUser | undefined {
    if (this.problem !== undefined)
      throw new WorkerFault(`isolation "${this.mode}" is not possible: ${this.problem}`);
    if (this.mode === 'none') return undefined;
    const found = this.tenants.get(tenant);
    if (!found) throw new TaskFailure(this.refusal(tenant), { fatal: true });
    if (found.projects && !found.projects.includes(project))
      throw new TaskFailure(`tenant "${tenant}" is not for project "${project}" on this worker`, {
        fatal: true,
      });
    return found.user;
  }

  /** The command between the guard and a task that runs as the worker. */
  limited(): string[] {
    return limiting(this.limits);
  }

  /** The command between the guard and a task that runs as a user. */
  confined(user: TaskUser, tag: number, folder: string): string[] {
    const apart = this.mode === 'namespaces' ? inNamespaces() : [];
    return [...this.limited(), ...apart, ...asUser(user, tag), ...inFolder(folder)];
  }

  private refusal(tenant: string): string {
    if (tenant === 'default')
      return 'this worker runs tasks as their tenant: give the workflow a "tenant", or the worker --task-user';
    return `this worker runs no tasks of tenant "${tenant}"; its --tenant lists: ${[...this.tenants.keys()].join(', ') || 'none'}`;
  }
}

async function tenantsOf({ isolation, tenants, taskUser }: IsolationConfig): Promise<Map<string, Tenant>> {
  if (!isolationModes.includes(isolation))
    throw new InvalidInput(`"${isolation}" is none of ${isolationModes.join(', ')}`, 'worker isolation');
  const found = new Map<string, Tenant>();
  if (isolation === 'none') {
    if (tenants.length > 0 || taskUser !== undefined)
      throw new InvalidInput(
        'with isolation "none" all tasks run as the worker: choose "user" or "namespaces", or name no tenants',
        'worker isolation',
      );
    return found;
  }
  for (const { name, projects } of tenants.map(tenantRule))
    found.set(name, { user: await findUser(name), projects });
  if (taskUser !== undefined) found.set('default', { user: await findUser(taskUser) });
  if (found.size === 0)
    throw new InvalidInput('name the users that tasks may run as: --tenant, --task-user', 'worker isolation');
  return found;
}

/**
 * Tries each step once that tasks need: another user with a tag, in the work folder, in namespaces, with
 * limits.
 */
async function findProblem(
  { isolation, taskLimits, work }: IsolationConfig,
  tenants: readonly Tenant[],
): Promise<string | undefined> {
  try {
    const limits = limiting(taskLimits);
    if (limits.length > 0) await tried([...limits, 'true']);
    if (isolation === 'none') return undefined;
    openWorkFolder(work);
    const apart = isolation === 'namespaces' ? inNamespaces() : [];
    for (const { user } of tenants)
      await tried([...apart, ...asUser(user, freshTag()), '/bin/sh', '-c', 'cd -- "$0"', work]);
    return undefined;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

/** Opens the parent of the work folders: tenants pass through it to their own, and cannot list the others. */
function openWorkFolder(work: string): void {
  mkdirSync(work, { recursive: true, mode: 0o711 });
  const { uid } = statSync(work);
  if (uid !== process.geteuid?.()) throw new Error(`${work} belongs to another user (uid ${uid})`);
  chmodSync(work, 0o711);
}

async function tried([command, ...args]: readonly string[]): Promise<void> {
  try {
    await run(command, args, { timeout: PATIENCE, cwd: '/' });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(stderr.trim().split('\n')[0] || message);
  }
}
