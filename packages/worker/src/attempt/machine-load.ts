/** Measures how busy the machine is: processor use since the last call, and memory and disk in use. */
import { statfsSync } from 'node:fs';
import { cpus, freemem, totalmem } from 'node:os';

/**
 * Returns a function that measures. Its first result covers the time since this call. The disk is that of
 * `folder`.
 */
export function machineLoad(folder: string): () => { cpu: number; memory: number; disk?: number } {
  let before = times();
  return () => {
    const now = times();
    const total = now.total - before.total;
    const cpu = total > 0 ? 1 - (now.idle - before.idle) / total : 0;
    before = now;
    return { cpu, memory: 1 - freemem() / totalmem(), ...diskUse(folder) };
  };
}

/** The share of a disk in use; empty if the system does not report it. */
function diskUse(folder: string): { disk?: number } {
  try {
    const { blocks, bavail } = statfsSync(folder);
    return blocks > 0 ? { disk: 1 - bavail / blocks } : {};
  } catch {
    return {};
  }
}

function times(): { idle: number; total: number } {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, total };
}
