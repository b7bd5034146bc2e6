/**
 * Resources that attempts request and workers have: cores and memory. An attempt with a request goes only to
 * a worker with enough left. Requests are served in order: a worker that could hold one but has too little
 * left takes nothing that comes after it and asks too. So a large attempt is not passed over forever.
 */

/** Cores in thousandths, since sums of fractions are not exact, and memory in bytes. */
export interface Resources {
  readonly cores: number;
  readonly memory: number;
}

/** A worker's remaining capacity. */
export function resourcesLeft(capacity: Resources, used: Resources): Resources {
  return { cores: capacity.cores - used.cores, memory: capacity.memory - used.memory };
}

/** Whether one covers the other. */
export function holds(has: Resources, asked: Resources): boolean {
  return asked.cores <= has.cores && asked.memory <= has.memory;
}

/**
 * The attempts, in queue order, that a worker takes; `blocked` means that it reserves room for one of the
 * others.
 */
export function fittingAttempts<T extends Partial<Resources>>(
  queue: readonly T[],
  capacity: Resources,
  left: Resources,
  room: number,
): { readonly taken: readonly T[]; readonly blocked: boolean } {
  const taken: T[] = [];
  let rest = left;
  let blocked = false;
  for (const attempt of queue) {
    if (taken.length >= room) break;
    const asked = { cores: attempt.cores ?? 0, memory: attempt.memory ?? 0 };
    const asks = asked.cores > 0 || asked.memory > 0;
    if (asks && (blocked || !holds(capacity, asked))) continue;
    if (asks && !holds(rest, asked)) {
      blocked = true;
      continue;
    }
    if (asks) rest = resourcesLeft(rest, asked);
    taken.push(attempt);
  }
  return { taken, blocked };
}
