/**
 * The store as others see it: named atomic operations, each a promise. The same operations stand on SQLite and on
 * PostgreSQL; reading ones use other connections than writing ones.
 */
import type { Operation } from './operation.ts';
import * as apiReads from './operations/api-reads.ts';
import * as attemptReads from './operations/attempt-reads.ts';
import * as commands from './operations/commands.ts';
import * as dispatch from './operations/dispatch.ts';
import * as nodes from './operations/nodes.ts';
import * as reads from './operations/reads.ts';
import * as runDetails from './operations/run-details.ts';
import * as runs from './operations/runs.ts';
import * as schedules from './operations/schedules.ts';
import * as workflows from './operations/workflows.ts';
import { PostgresDriver, type PostgresOptions } from './postgres.ts';
import { SqliteDriver } from './sqlite.ts';

const writing = {
  joinNode: nodes.joinNode,
  beat: nodes.beat,
  fence: nodes.fence,
  leaveNode: nodes.leaveNode,
  publishWorkflow: workflows.publishWorkflow,
  submitCommand: commands.submitCommand,
  submitCommands: commands.submitCommands,
  claimStarts: commands.claimStarts,
  withdrawCommand: commands.withdrawCommand,
  commitRuns: runs.commitRuns,
  claimInboxes: runs.claimInboxes,
  joinWorker: dispatch.joinWorker,
  take: dispatch.take,
  beatWorker: dispatch.beatWorker,
  loseWorker: dispatch.loseWorker,
  leaveWorker: dispatch.leaveWorker,
  recordElsewhere: dispatch.recordElsewhere,
  fireTicks: schedules.fireTicks,
  setSchedule: schedules.setSchedule,
  sendControl: reads.sendControl,
  sweepEvents: reads.sweepEvents,
};

const reading = {
  listNodes: nodes.listNodes,
  readWorkflow: workflows.readWorkflow,
  listWorkflows: workflows.listWorkflows,
  loadRuns: runs.loadRuns,
  readInboxes: runs.readInboxes,
  listWorkers: dispatch.listWorkers,
  dueSchedules: schedules.dueSchedules,
  listSchedules: schedules.listSchedules,
  listTicks: schedules.listTicks,
  listRuns: reads.listRuns,
  readRun: reads.readRun,
  listAttempts: reads.listAttempts,
  readCommand: reads.readCommand,
  listCommands: apiReads.listCommands,
  listVersions: apiReads.listVersions,
  readSource: apiReads.readSource,
  pageSchedules: apiReads.pageSchedules,
  readSchedule: apiReads.readSchedule,
  pageAttempts: attemptReads.pageAttempts,
  readAttempt: attemptReads.readAttempt,
  readLogTail: attemptReads.readLogTail,
  readRunDetails: runDetails.readRunDetails,
  readQueuePlace: runDetails.readQueuePlace,
  countAssignments: runDetails.countAssignments,
  listOpenRuns: runDetails.listOpenRuns,
  listChildRuns: runDetails.listChildRuns,
};

type Operations = typeof writing & typeof reading;
type Result<F> = F extends (...args: never[]) => Operation<infer T> ? T : never;

/** Every operation by name, and the end of it. */
export type Store = {
  readonly [Name in keyof Operations]: (
    ...input: Parameters<Operations[Name]>
  ) => Promise<Result<Operations[Name]>>;
} & { readonly dialect: 'sqlite' | 'postgres'; close(): Promise<void> };

/** What a store stands on. */
interface Driver {
  readonly dialect: 'sqlite' | 'postgres';
  transact<T>(operation: Operation<T>): T | Promise<T>;
  read<T>(operation: Operation<T>): T | Promise<T>;
  close(): void | Promise<void>;
}

/** The embedded store in a file, or in memory for tests. */
export async function openSqlite(path: string): Promise<Store> {
  return storeOn(new SqliteDriver(path));
}

/** The cluster's store. */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  return storeOn(await PostgresDriver.open(options));
}

function storeOn(driver: Driver): Store {
  const store: Record<string, unknown> = { dialect: driver.dialect, close: async () => driver.close() };
  type Make = (...input: never[]) => Operation<unknown>;
  for (const [name, make] of Object.entries(writing) as [string, Make][]) {
    store[name] = async (...input: never[]) => driver.transact(make(...input));
  }
  for (const [name, make] of Object.entries(reading) as [string, Make][]) {
    store[name] = async (...input: never[]) => driver.read(make(...input));
  }
  return store as Store;
}
