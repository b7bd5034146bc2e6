/**
 * For whom this code acts: what it writes to a store meanwhile is recorded under that name. Carried by the call, not by
 * arguments, so that no operation can be asked for without it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Asker } from './operations/access/audit.ts';

const acting = new AsyncLocalStorage<Asker | undefined>();

/** Does something for someone who asked from outside. */
export function actFor<T>(who: Asker, work: () => T): T {
  return acting.run(who, work);
}

/** Does something for nobody: for what goes on after the request that set it off. */
export function actForNobody<T>(work: () => T): T {
  return acting.run(undefined, work);
}

/** For whom this code acts; undefined: for nobody outside. */
export function actingFor(): Asker | undefined {
  return acting.getStore();
}
