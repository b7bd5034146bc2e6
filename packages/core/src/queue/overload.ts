/** Load protection: when a node takes no new work because its machine has enough to do. */

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

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}
