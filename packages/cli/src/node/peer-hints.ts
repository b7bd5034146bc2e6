/**
 * Hints to the masters of other processes. The list of masters is read from the store, at most once a second.
 */
import type { Log } from '@orrery/core/log';
import type { Store } from '@orrery/store';
import type { Hint } from '@orrery/wire/frames';
import type { NetworkOptions } from '@orrery/wire/network';
import { machineClock } from './machine-clock.ts';

const READ_EVERY = 1_000;

/**
 * Sends hints to all live masters except the one at `own`, or to the one at an address. An embedded store has
 * no other masters, so nothing is sent.
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
