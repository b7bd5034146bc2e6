/** Hints to the masters of other processes: who they are is read from the store, at most once a second. */
import type { Log } from '@orrery/core/log';
import type { Store } from '@orrery/store';
import type { Hint } from '@orrery/wire/frames';
import type { NetworkOptions } from '@orrery/wire/network';
import { machineClock } from './machine-clock.ts';

const READ_EVERY = 1_000;

/**
 * Tells all live masters but the one at `own`, or the one at an address. An embedded store has no others: then nobody is
 * told.
 */
export function peerHints(
  store: Store,
  network: NetworkOptions,
  log: Log,
  own?: string,
): ((hint: Hint, address?: string) => void) | undefined {
  if (store.dialect === 'sqlite') return undefined;
  const loaded = import('@orrery/wire/network').then(({ hintMasters }) => hintMasters(network));
  let known: Promise<readonly string[]> = Promise.resolve([]);
  let readAt = Number.NEGATIVE_INFINITY;
  return (hint, address) => {
    if (address !== undefined) {
      void loaded.then((tell) => tell([address], hint));
      return;
    }
    const now = machineClock.monotonic();
    if (now - readAt > READ_EVERY) {
      readAt = now;
      known = masterAddresses(store, own);
    }
    Promise.all([loaded, known]).then(
      ([tell, addresses]) => tell(addresses, hint),
      (error) => log('warn', `the other masters are not known: ${error.message}`),
    );
  };
}

async function masterAddresses(store: Store, own: string | undefined): Promise<readonly string[]> {
  const nodes = await store.listNodes();
  return nodes
    .filter(({ fenced, roles, address }) => fenced === 0 && isMaster(roles) && address !== own)
    .map(({ address }) => address);
}

function isMaster(roles: string): boolean {
  return roles.split(',').includes('master');
}
