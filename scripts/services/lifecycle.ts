/**
 * Starting and stopping services: `absent -> starting -> running -> absent`. A service counts as started
 * when it answered; one that does not answer in time is ended again.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFree, ownPort } from '../own-port.ts';
import { commandLine } from './process.ts';
import { isRunning, locked, readRecords, type ServiceRecord, writeRecords } from './records.ts';
import type { Place, Service } from './service.ts';

const START_LIMIT = 60_000;
const STOP_LIMIT = 20_000;
const PORT_LIMIT = 5_000;

/** Starts a service, or returns the running one if it answers; `reused` distinguishes the two. */
export function startService(
  service: Service,
  folder: string,
  fast: boolean,
): Promise<ServiceRecord & { reused: boolean }> {
  return locked(folder, async () => {
    const program = service.find();
    if (!program) {
      throw new Error(`${service.name} is not installed; npm run services -- install ${service.name}`);
    }
    const home = join(folder, service.name);
    mkdirSync(home, { recursive: true });
    const running = readRecords(folder)[service.name];
    if (running) {
      const { port } = running;
      // As long as for a starting one: others may be using it, and on a busy machine it is only slow.
      if (await answers(service, { program, home, port, fast }, running, START_LIMIT)) {
        return { ...running, reused: true };
      }
      await end(service, running);
    }
    const place = { program, home, port: await choosePort(service, home), fast };
    const record = await launch(service, place);
    // Recorded before it answers, so that a start that is cut off leaves nothing unknown behind.
    writeRecords(folder, { ...readRecords(folder), [service.name]: record });
    if (!(await answers(service, place, record, START_LIMIT))) {
      await end(service, record);
      throw new Error(`${service.name} did not start; the end of ${logOf(home)}:\n${logTail(home)}`);
    }
    return { ...record, reused: false };
  });
}

/** Stops the recorded process of a service; undefined when none runs. Its data stay for the next start. */
export function stopService(service: Service, folder: string): Promise<ServiceRecord | undefined> {
  return locked(folder, async () => {
    const { [service.name]: record, ...others } = readRecords(folder);
    if (record) await end(service, record);
    writeRecords(folder, others);
    return record;
  });
}

async function launch(service: Service, place: Place): Promise<ServiceRecord> {
  const { command, args, account } = service.launch(place);
  const log = openSync(logOf(place.home), 'w');
  // It may outlive the caller, and with it the caller's temporary folder.
  const { TMPDIR: _, ...env } = process.env;
  const child = spawn(command, args, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env,
    ...account,
  });
  closeSync(log);
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
  // The process is identified by its command line, which is empty for a moment after the start.
  while (child.exitCode === null && child.signalCode === null && commandLine(pid) === '') await sleep(5);
  child.unref();
  return {
    url: service.url(place.port),
    port: place.port,
    pid,
    started: new Date().toISOString(),
    command: [command, ...args].join(' '),
    home: place.home,
  };
}

function logOf(home: string): string {
  return join(home, 'server.log');
}

function logTail(home: string): string {
  return readFileSync(logOf(home), 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}

/** Whether it answers before the limit; a process that ended is not waited for. */
async function answers(
  service: Service,
  place: Place,
  record: ServiceRecord,
  limit: number,
): Promise<boolean> {
  const deadline = Date.now() + limit;
  while (isRunning(record) && Date.now() < deadline) {
    // Asked again about the process: another one may hold the port and answer in its place.
    if ((await service.ready(place)) && isRunning(record)) return true;
    await sleep(50);
  }
  return false;
}

async function end(service: Service, record: ServiceRecord): Promise<void> {
  if (!isRunning(record)) return;
  process.kill(record.pid, service.stopSignal);
  const deadline = Date.now() + STOP_LIMIT;
  while (isRunning(record)) {
    if (Date.now() > deadline) process.kill(record.pid, 'SIGKILL');
    await sleep(50);
  }
}

/**
 * Whether a port is free within a limit: on a busy machine a process that has ended, with an empty command line, keeps its
 * sockets for a moment.
 */
async function becomesFree(port: number): Promise<boolean> {
  const deadline = Date.now() + PORT_LIMIT;
  while (!(await isFree(port))) {
    if (Date.now() > deadline) return false;
    await sleep(50);
  }
  return true;
}

/** The port given by the environment, else the one of the last start if it is free, else any free one. */
async function choosePort(service: Service, home: string): Promise<number> {
  const given = process.env[service.portVariable];
  if (given) {
    const port = Number(given);
    if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
    throw new Error(`${service.portVariable} is "${given}"; a port is a number from 1 to 65535`);
  }
  const file = join(home, 'port');
  const last = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const port = last > 0 && (await becomesFree(last)) ? last : await ownPort();
  writeFileSync(file, `${port}\n`);
  return port;
}
