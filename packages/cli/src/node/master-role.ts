/** The master of a process: it serves workers and hints over the network where it listens. */
import { hostname } from 'node:os';
import { Master, masterDefaults } from '@orrery/master';
import type { Store } from '@orrery/store';
import { type Address, addressText } from '@orrery/wire/address';
import { machineClock } from './machine-clock.ts';
import { announced, type NodeOptions } from './options.ts';
import { peerHints } from './peer-hints.ts';
import { startAll } from './started.ts';

/** A running master. */
export interface MasterRole {
  readonly master: Master;
  /** Where others reach it; its name where nobody else does. */
  readonly address: string;
  /** Settles with the reason when it can no longer act. */
  readonly over: Promise<string>;
  stop(): Promise<void>;
}

/** Starts it. Workers that come before it has joined are asked to come again. */
export function startMaster(store: Store, options: NodeOptions): Promise<MasterRole> {
  const { name, roles, listen, network, readSecret, log } = options;
  const { lease = masterDefaults.lease, retention = masterDefaults.retention } = options;
  return startAll(async (started) => {
    let master: Master | undefined;
    const serve = async (at: Address) => {
      const { serveMaster } = await import('@orrery/wire/network');
      return serveMaster(at, network, {
        accept: (channel) =>
          master ? master.accept(channel) : channel.close('this master is still starting'),
        hint: (hint) => master?.hint(hint),
      });
    };
    const server = listen && (await serve(listen));
    if (server) started.push(() => server.stop());
    const address = server ? addressText(announced(server.address, options, hostname())) : name;
    const { promise: over, resolve: onOver } = Promise.withResolvers<string>();
    const tellPeers = peerHints(store, network, log, address);
    const shown = roles.filter((role) => role !== 'worker');
    const config = { ...masterDefaults, id: name, roles: shown, address, lease, retention };
    const acting = await Master.start(config, {
      clock: machineClock,
      store,
      log,
      tellPeers,
      readSecret,
      onOver,
    });
    master = acting;
    started.push(() => acting.stop());
    return { master: acting, address, over };
  });
}
