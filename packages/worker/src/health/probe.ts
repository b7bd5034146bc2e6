/** What a worker needs to run anything: space and write access in its folders, memory, and processes. */
import { spawn } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { type LoadLimits, type LoadReading, overload } from '@orrery/core/queue';

/** The resources to check and their minimums; sizes in bytes. */
export interface ProbeOptions {
  readonly folders: readonly string[];
  readonly minFreeDisk: number;
  readonly minFreeMemory: number;
  /** Load above which the worker takes no work; a missing value is unlimited. */
  readonly loadLimits?: LoadLimits;
  /** Measures the machine and this process. */
  readonly measure?: () => LoadReading;
}

const PROBE_FILE = '.health';
/** More than a file system may store inside an inode. */
const PROBE_BYTES = Buffer.alloc(4_096);
const MIN_FREE_FILES = 16;

/** The first missing requirement, as text; undefined if there is none. */
export async function findProblem(options: ProbeOptions, processes: boolean): Promise<string | undefined> {
  for (const folder of options.folders) {
    const problem = await folderProblem(folder, options.minFreeDisk);
    if (problem) return problem;
  }
  const memory = freemem();
  if (memory < options.minFreeMemory)
    return `no memory left: ${sizeText(memory)} free, ${sizeText(options.minFreeMemory)} needed`;
  const { overloaded, reasons } = overload(options.measure?.() ?? {}, options.loadLimits);
  if (overloaded) return `overloaded: ${reasons.join(', ')}`;
  return processes ? processProblem() : undefined;
}

async function folderProblem(folder: string, minFree: number): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize, files, ffree } = await statfs(folder);
    const free = bavail * bsize;
    if (free < minFree)
      return `no space left in ${folder}: ${sizeText(free)} free, ${sizeText(minFree)} needed`;
    // Some file systems have no fixed number of files and report 0.
    if (files > 0 && ffree < MIN_FREE_FILES) return `no inodes left in ${folder}`;
    const file = join(folder, PROBE_FILE);
    await writeFile(file, PROBE_BYTES, { mode: 0o600 });
    await rm(file);
    return undefined;
  } catch (error) {
    return `cannot write to ${folder}: ${(error as Error).message}`;
  }
}

async function processProblem(): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  try {
    const child = spawn('/bin/sh', ['-c', ':'], { stdio: 'ignore' });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('exit', resolve);
      child.once('error', reject);
    });
    return code === 0 ? undefined : `cannot start processes: /bin/sh ends with ${code ?? 'a signal'}`;
  } catch (error) {
    return `cannot start processes: ${(error as Error).message}`;
  }
}

function sizeText(bytes: number): string {
  const [value, unit] = bytes < 1_048_576 ? [bytes / 1_024, 'KiB'] : [bytes / 1_048_576, 'MiB'];
  return `${Math.floor(value)} ${unit}`;
}
