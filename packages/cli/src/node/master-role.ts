/** The master of a process: it serves workers and hints over the network where it listens. */
import { hostname } from 'node:os';
import type { StoreClock } from '@orrery/cluster';
import { Master, masterDefaults } from '@orrery/master';
import type { Store } from '@orrery/store';
import { type Address, addressText } from '@orrery/wire/address';
import { startLoadMeter } from './machine-load.ts';
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
export function startMaster(store: Store, clock: StoreClock, options: NodeOptions): Promise<MasterRole> {
  const { name, roles, listen, network, readSecret, log } = options;
  const { lease, retention, sessionTimeout, room, loadLimits } = { ...masterDefaults, ...given(options) };
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
    const chosen = { lease, retention, sessionTimeout, room, loadLimits };
    const config = { ...masterDefaults, ...chosen, id: name, roles: shown, address };
    const meter = startLoadMeter();
    started.push(async () => meter.stop());
    const acting = await Master.start(config, {
      clock,
      store,
      log,
      measure: meter.measure,
      tellPeers,
      readSecret,
      onOver,
    });
    master = acting;
    started.push(() => acting.stop());
    return { master: acting, address, over };
  });
}

/** The options that were given. */
function given(options: NodeOptions): Partial<NodeOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
