/** Where the API reads logs: from the worker of its own process, from others over the network. */
import type { LogPiece, LogPlace, LogSource } from '@orrery/api';
import type { Store } from '@orrery/store';
import type { LogReader, NetworkOptions } from '@orrery/wire/network';
import type { Worker } from '@orrery/worker';

/**
 * Reads logs wherever they are. A worker that is gone has none: the API then shows the end that was kept. The network is
 * loaded when the first log is read from afar.
 */
export function logSource(store: Store, network: NetworkOptions, own: Worker | undefined): LogSource {
  let loaded: Promise<(address: string) => LogReader> | undefined;
  const remote = async (address: string) => {
    loaded ??= import('@orrery/wire/network').then(({ remoteLogs }) => remoteLogs(network));
    return (await loaded)(address);
  };
  const readerOf = async ({ worker }: LogPlace): Promise<LogReader | undefined> => {
    if (worker === own?.config.name) return own.logs;
    const found = (await store.listWorkers()).find(({ id }) => id === worker);
    return found?.address ? remote(found.address) : undefined;
  };
  return {
    async read(place, range) {
      const nothing: LogPiece = { bytes: new Uint8Array(), next: range.offset, size: 0 };
      const reader = await readerOf(place);
      return (await reader?.read(place.workflow, place.attempt, range).catch(goneAsNothing)) ?? nothing;
    },
    async *follow(place, range) {
      const reader = await readerOf(place);
      if (!reader) return;
      try {
        yield* reader.follow(place.workflow, place.attempt, range);
      } catch (error) {
        await goneAsNothing(error);
      }
    },
  };
}

async function goneAsNothing(error: unknown): Promise<undefined> {
  const { isUnreachable } = await import('@orrery/wire/network');
  if (!isUnreachable(error)) throw error;
  return undefined;
}
