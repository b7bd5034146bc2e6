/**
 * Load protection: when a node takes no new work because its machine has enough to do, and which work an
 * executor refuses because it asks for more than is left.
 */
import { InvalidInput } from '../errors.ts';

/** What a node measures of itself. Shares are 0 to 1; what cannot be measured is left out. */
export interface LoadReading {
  readonly cpu?: number;
  readonly memory?: number;
  readonly disk?: number;
  /** Load average divided by the number of cores. */
  readonly loadPerCore?: number;
  /** The longest time in milliseconds for which the event loop was held up. */
  readonly eventLoopDelay?: number;
  readonly runs?: number;
  readonly tasks?: number;
}

/** Above which use a node is overloaded, and how many runs and tasks are its fill; what is left out is not limited. */
export interface LoadLimits {
  readonly cpu?: number;
  readonly memory?: number;
  readonly disk?: number;
  readonly loadPerCore?: number;
  readonly eventLoopDelay?: number;
  readonly maxRuns?: number;
  readonly maxTasks?: number;
}

/** What a node refuses at unless its configuration says otherwise. */
export const defaultLoadLimits: LoadLimits = { cpu: 0.7, memory: 0.7, disk: 0.7, loadPerCore: 2 };

/** Whether a node takes no new work, with every reason; `limits` undefined means that protection is off. */
export function overload(
  reading: LoadReading,
  limits: LoadLimits | undefined,
): { overloaded: boolean; reasons: string[] } {
  const reasons: string[] = [];
  // NaN, for what is not measured or not limited, is neither above nor at anything.
  const above = (what: string, used = NaN, limit = NaN, show = percent) => {
    if (used > limit) reasons.push(`${what} ${show(used)} is above ${show(limit)}`);
  };
  const full = (what: string, count = NaN, most = NaN) => {
    if (count >= most) reasons.push(`${count} of at most ${most} ${what}`);
  };
  above('processor use', reading.cpu, limits?.cpu);
  above('memory use', reading.memory, limits?.memory);
  above('disk use', reading.disk, limits?.disk);
  above('load average per core', reading.loadPerCore, limits?.loadPerCore, (n) => n.toFixed(2));
  above('event-loop delay', reading.eventLoopDelay, limits?.eventLoopDelay, (n) => `${Math.round(n)} ms`);
  full('runs', reading.runs, limits?.maxRuns);
  full('tasks', reading.tasks, limits?.maxTasks);
  return { overloaded: reasons.length > 0, reasons };
}

/** What a task asks for and what the machine has and uses; `cpu` and `memory` in use are shares, 0 to 1. */
export interface WorkRequest {
  readonly askedCores: number;
  readonly askedMemory: number;
  readonly cores: number;
  /** In the unit of `askedMemory`. */
  readonly memory: number;
  readonly cpuUse: number;
  readonly memoryUse: number;
}

/** Whether an executor refuses a task because asked and used together reach `fill`; the next one is tried then. */
export function refusesWork(request: WorkRequest, fill = 0.8): { refuses: boolean; reasons: string[] } {
  const reasons: string[] = [];
  const check = (what: string, asked: number, size: number, use: number) => {
    if (!(size > 0)) throw new InvalidInput(`a machine with ${size} ${what} cannot run anything`);
    // 0.1 + 0.7 is below 0.8 in floating point.
    if (asked / size + use >= fill - 1e-9) {
      reasons.push(`${what}: ${percent(asked / size)} asked and ${percent(use)} used reach ${percent(fill)}`);
    }
  };
  check('cores', request.askedCores, request.cores, request.cpuUse);
  check('memory', request.askedMemory, request.memory, request.memoryUse);
  return { refuses: reasons.length > 0, reasons };
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}
