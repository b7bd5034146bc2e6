/** Dataflow jobs: fetch items, process them; streaming goes on until nothing is left to fetch. */
import type { ShardContext, ShardHandler } from '../run/context.ts';

/** Work in two steps. */
export interface Dataflow<T> {
  fetch(context: ShardContext): Promise<readonly T[]> | readonly T[];
  process(context: ShardContext, items: readonly T[]): Promise<void> | void;
  /** Fetch again until a fetch is empty; a fetch for each tick by default. */
  readonly streaming?: boolean;
}

/** A handler that fetches and processes. A streaming one ends when its shard must stop, or is to move. */
export function dataflowHandler<T>({ fetch, process, streaming }: Dataflow<T>): ShardHandler {
  return async (context) => {
    do {
      const items = await fetch(context);
      if (items.length === 0) return;
      context.signal.throwIfAborted();
      await process(context, items);
    } while (streaming && !context.signal.aborted && !context.isOutdated());
  };
}
