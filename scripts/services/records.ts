/**
 * The record of running services, `services.json` in their folder: the process of each, and its address. A
 * record is only a claim: a service counts as running while its process still has the recorded command line,
 * so a process id reused after a reboot does no harm.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine } from './process.ts';

/** One running service. */
export interface ServiceRecord {
  /** Where it answers: a PostgreSQL or HTTP address; `host:port` for ZooKeeper. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** When it was started, ISO 8601. */
  readonly started: string;
  /** Its command line, which identifies its process. */
  readonly command: string;
  readonly home: string;
}

export type ServiceRecords = Record<string, ServiceRecord>;

/** The recorded services with live processes, by name. */
export function readRecords(folder: string): ServiceRecords {
  const file = join(folder, 'services.json');
  if (!existsSync(file)) return {};
  const records: ServiceRecords = JSON.parse(readFileSync(file, 'utf8'));
  return Object.fromEntries(Object.entries(records).filter(([, record]) => isRunning(record)));
}

/** Replaces the record as a whole, so that a reader never sees half of one. */
export function writeRecords(folder: string, records: ServiceRecords): void {
  const draft = join(folder, `services.json.${process.pid}`);
  writeFileSync(draft, `${JSON.stringify(records, undefined, 2)}\n`);
  renameSync(draft, join(folder, 'services.json'));
}

/** Whether the recorded process is alive and is still the same one. */
export function isRunning(record: ServiceRecord): boolean {
  return commandLine(record.pid) === record.command;
}

/**
 * Runs `work` while no other process works on this folder. The lock is a transaction on a SQLite file,
 * because the system itself ends it with the process that held it.
 */
export async function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true });
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    while (!take(lock)) await sleep(100);
    return await work();
  } finally {
    lock.close();
  }
}

function take(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    const busy = 5;
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}
