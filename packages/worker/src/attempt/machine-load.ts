/** How busy the machine is: processor use since the last question, and memory in use. */
import { cpus, freemem, totalmem } from 'node:os';

/** A function to be asked from time to time; the first answer covers the time since this call. */
export function machineLoad(): () => { cpu: number; memory: number } {
  let before = times();
  return () => {
    const now = times();
    const total = now.total - before.total;
    const cpu = total > 0 ? 1 - (now.idle - before.idle) / total : 0;
    before = now;
    return { cpu, memory: 1 - freemem() / totalmem() };
  };
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
