/** Load protection: a node takes no new work while its machine is overloaded. */

/** Measurements of a node. Shares are 0 to 1; values that cannot be measured are absent. */
export interface LoadReading {
  readonly cpu?: number;
  readonly memory?: number;
  readonly disk?: number;
  /** Load average divided by the number of cores. */
  readonly loadPerCore?: number;
  /** The longest delay of the event loop, in milliseconds. */
  readonly eventLoopDelay?: number;
  readonly runs?: number;
  readonly tasks?: number;
}

/** Limits of a node's load, and of its runs and tasks; an absent limit is unlimited. */
export interface LoadLimits {
  readonly cpu?: number;
  readonly memory?: number;
  readonly disk?: number;
  readonly loadPerCore?: number;
  readonly eventLoopDelay?: number;
  readonly maxRuns?: number;
  readonly maxTasks?: number;
}

/** Whether a node takes no new work, with every reason; undefined `limits` turn protection off. */
export function overload(
  reading: LoadReading,
  limits: LoadLimits | undefined,
): { overloaded: boolean; reasons: string[] } {
  const reasons: string[] = [];
  // NaN, for values not measured or not limited, compares false.
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
