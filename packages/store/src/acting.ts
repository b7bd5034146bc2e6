/**
 * The asker on whose behalf this code acts; writes to a store meanwhile are recorded under that name. Carried
 * by the async context, not by arguments, so that no operation can be called without it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Asker } from './operations/access/audit.ts';

const acting = new AsyncLocalStorage<Asker | undefined>();

/** Runs work on behalf of an asker from outside. */
export function actFor<T>(who: Asker, work: () => T): T {
  return acting.run(who, work);
}

/** Runs work on behalf of nobody, for work that continues after the request that started it. */
export function actForNobody<T>(work: () => T): T {
  return acting.run(undefined, work);
}

/** The current asker; undefined if nobody outside asked. */
export function actingFor(): Asker | undefined {
  return acting.getStore();
}
