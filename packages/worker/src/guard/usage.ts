/**
 * Resource use of task processes, sampled once a second from `/proc`. Short processes may end unseen; then
 * only the guard's own count of processor time is known. Memory shared between processes of one task is
 * counted for each of them.
 */
import { readFileSync } from 'node:fs';
import type { Clock, ClockTimer } from '@orrery/core/timing';
import type { ProcessScan } from './process-scan.ts';
import { statOf } from './processes.ts';

const FIRST_SAMPLE = 200;
const EVERY = 1_000;
/** Linux counts in hundredths of a second on every platform that Node supports. */
const TICK = 10;

/** The observed resource use of one task process and its children. */
export interface Usage {
  /** Milliseconds. */
  cpuTime?: number;
  /** Bytes: the highest sum observed, or the peak that the system recorded for one process. */
  peakMemory?: number;
}

/** Samples all task processes of a worker together. */
export class UsageMeter {
  private readonly scan: ProcessScan;
  private readonly clock: Clock;
  private readonly metered = new Map<string, Usage>();
  private timer: ClockTimer | undefined;

  constructor(scan: ProcessScan, clock: Clock) {
    this.scan = scan;
    this.clock = clock;
  }

  /** Starts to watch the carriers of a mark. The returned object is updated with each sample. */
  watch(mark: string): Usage {
    const usage: Usage = {};
    this.metered.set(mark, usage);
    if (process.platform === 'linux') this.timer ??= this.clock.setTimer(FIRST_SAMPLE, () => this.sample());
    return usage;
  }

  release(mark: string): void {
    this.metered.delete(mark);
    if (this.metered.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  private async sample(): Promise<void> {
    const sums = new Map<string, Sample>();
    // Processes that cannot be read now are not counted: this is a sample.
    for (const { pid, mark } of await this.scan.carriers().catch(() => [])) {
      if (this.metered.has(mark)) add(sums, mark, pid);
    }
    for (const [mark, { cpu, resident, peak }] of sums) {
      const usage = this.metered.get(mark);
      if (!usage) continue;
      usage.cpuTime = Math.max(usage.cpuTime ?? 0, cpu);
      usage.peakMemory = Math.max(usage.peakMemory ?? 0, resident, peak);
    }
    // If emptied and filled again meanwhile, it already has a timer.
    this.timer?.cancel();
    this.timer = this.metered.size > 0 ? this.clock.setTimer(EVERY, () => this.sample()) : undefined;
  }
}

interface Sample {
  cpu: number;
  resident: number;
  peak: number;
}

function add(sums: Map<string, Sample>, mark: string, pid: number): void {
  const sum = sums.get(mark) ?? { cpu: 0, resident: 0, peak: 0 };
  const status = statusOf(pid);
  sum.cpu += (statOf(pid)?.cpu ?? 0) * TICK;
  sum.resident += kilobytes(status, 'VmRSS');
  sum.peak = Math.max(sum.peak, kilobytes(status, 'VmHWM'));
  sums.set(mark, sum);
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return '';
  }
}

function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
}
