/** Measures this machine and process: processor and memory in use, and how late the event loop is. */
import { readFileSync } from 'node:fs';
import { cpus, freemem, totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LoadReading } from '@orrery/core/queue';

/** Milliseconds between two samples of the event loop; a delay counts from there. */
const RESOLUTION = 20;

/** A meter, and how to stop it. */
export interface LoadMeter {
  /** What was measured since the last call. */
  readonly measure: () => LoadReading;
  stop(): void;
}

/** Starts measuring. */
export function startLoadMeter(): LoadMeter {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  let before = processorTime();
  return {
    measure() {
      const now = processorTime();
      const total = now.total - before.total;
      const cpu = total > 0 ? (now.busy - before.busy) / total : undefined;
      before = now;
      const eventLoopDelay = Math.max(0, delay.max / 1e6 - RESOLUTION);
      delay.reset();
      return { cpu, memory: memoryUse(), eventLoopDelay };
    },
    stop: () => delay.disable(),
  };
}

function processorTime(): { busy: number; total: number } {
  let busy = 0;
  let total = 0;
  for (const { times } of cpus()) {
    const all = Object.values(times).reduce((sum, time) => sum + time, 0);
    total += all;
    busy += all - times.idle;
  }
  return { busy, total };
}

/** The share of memory that is not available; what the system only caches is. */
function memoryUse(): number {
  let available = freemem();
  try {
    const found = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'));
    if (found) available = Number(found[1]) * 1024;
  } catch {
    // Not Linux.
  }
  return 1 - available / totalmem();
}
