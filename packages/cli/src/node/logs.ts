/** The API's source of logs: the worker of its own process directly, others over the network. */
import type { LogPiece, LogPlace, LogSource } from '@orrery/api';
import type { Store } from '@orrery/store';
import type { LogReader, NetworkOptions } from '@orrery/wire/network';
import type { Worker } from '@orrery/worker';

/**
 * Reads logs from any worker. A lost worker has none: the API then shows the stored end. The network code is
 * loaded with the first remote log.
 */
export function logSource(store: Store, network: NetworkOptions, own: Worker | undefined): LogSource {
  /** By the hash of the invitation by which a worker joined; empty: with the join token. */
  const readers = new Map<string, (address: string) => LogReader>();
  const remote = async (address: string, invitation: string) => {
    const { logToken, remoteLogs } = await import('@orrery/wire/network');
    const made =
      readers.get(invitation) ??
      remoteLogs(invitation === '' ? network : { ...network, token: logToken(invitation) });
    readers.set(invitation, made);
    return made(address);
  };
  const invitationOf = async (worker: string) =>
    (await store.listInvitations()).find((invitation) => invitation.worker === worker)?.hash ?? '';
  const readerOf = async ({ worker }: LogPlace): Promise<LogReader | undefined> => {
    if (worker === own?.config.name) return own.logs;
    const found = (await store.listWorkers()).find(({ id }) => id === worker);
    if (!found?.address) return undefined;
    return remote(found.address, found.invited === 1 ? await invitationOf(worker) : '');
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
