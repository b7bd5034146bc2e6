/** The master of a process: it serves workers and hints over the network where it listens. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliverySender } from '@orrery/alerts';
import type { RegistryPort, StoreClock } from '@orrery/cluster';
import { Master, type MasterConfig, masterDefaults, type Ports } from '@orrery/master';
import type { Store } from '@orrery/store';
import { type Address, addressText } from '@orrery/wire/address';
import { startLoadMeter } from './machine-load.ts';
import { throughOutages } from './open-store.ts';
import { announced, type NodeOptions } from './options.ts';
import { peerHints } from './peer-hints.ts';
import { registryPort } from './registry-port.ts';
import { startAll } from './started.ts';

/** A running master. */
export interface MasterRole extends Pick<Master, 'accept' | 'hint'> {
  /** The address for other nodes; its name if there are none. */
  readonly address: string;
  /** Settles with the reason when it can no longer act. */
  readonly over: Promise<string>;
  /** Whether its session in the registry is good; undefined without a registry. */
  isRegistryGood(): boolean | undefined;
  stop(): Promise<void>;
}

const RETRY_EVERY = 1_000;

/** Starts it. Workers that come before it has joined are asked to come again. */
export function startMaster(store: Store, clock: StoreClock, options: NodeOptions): Promise<MasterRole> {
  const { name, roles, listen, network, readSecret, log } = options;
  const { lease, retention, sessionTimeout, room, loadLimits } = { ...masterDefaults, ...given(options) };
  return startAll(async (started) => {
    let life: MasterLife | undefined;
    const accept: Master['accept'] = (channel, caller) =>
      life ? life.accept(channel, caller) : channel.close('this master is still starting');
    const hint: Master['hint'] = (given) => life?.hint(given);
    const serve = async (at: Address) => {
      const { serveMaster } = await import('@orrery/wire/network');
      const findInvitation = async (hash: string) => {
        const found = await store.findInvitation({ hash });
        return found && { worker: found.worker, groups: JSON.parse(found.groups) as string[] };
      };
      const warn = (text: string) => log('warn', text);
      return serveMaster(at, { ...network, findInvitation, warn }, { accept, hint });
    };
    const server = listen && (await serve(listen));
    if (server) started.push(() => server.stop());
    const address = server ? addressText(announced(server.address, options, hostname())) : name;
    const { promise: over, resolve: onOver } = Promise.withResolvers<string>();
    const tellPeers = peerHints(store, network, log, address);
    const shown = roles.filter((role) => role !== 'worker');
    const chosen = { lease, retention, sessionTimeout, room, loadLimits };
    const openJoin = options.openJoin ?? false;
    const config = { ...masterDefaults, ...chosen, openJoin, id: name, roles: shown, address };
    const meter = startLoadMeter();
    started.push(async () => meter.stop());
    const registry = await registryPort(options, onOver);
    const sendDelivery = deliverySender({ now: () => clock.now(), readSecret, console: options.consoleUrl });
    const measure = meter.measure;
    const ports = { clock, store, log, measure, tellPeers, readSecret, registry, sendDelivery };
    const acting = await throughOutages(log, () => MasterLife.begin(config, ports, onOver));
    life = acting;
    started.push(() => acting.stop());
    const isRegistryGood = () => registry && acting.isRegistryGood;
    return { accept, hint, address, over, isRegistryGood };
  });
}

/**
 * The lives of a master in one process. With a registry one that was fenced joins again with a new epoch; without one,
 * or when another process has its name, its process ends.
 */
class MasterLife {
  private readonly config: MasterConfig;
  private readonly ports: Omit<Ports, 'onOver'> & { readonly registry?: RegistryPort };
  private readonly onOver: (reason: string) => void;
  private master: Master | undefined;
  private isStopping = false;
  private readonly stopping = new AbortController();
  private rejoining: Promise<void> | undefined;

  private constructor(config: MasterConfig, ports: Omit<Ports, 'onOver'>, onOver: (reason: string) => void) {
    this.config = config;
    this.ports = ports;
    this.onOver = onOver;
  }

  static async begin(
    config: MasterConfig,
    ports: Omit<Ports, 'onOver'>,
    onOver: (reason: string) => void,
  ): Promise<MasterLife> {
    const life = new MasterLife(config, ports, onOver);
    await life.start();
    return life;
  }

  accept: Master['accept'] = (channel, caller) => {
    if (this.master) this.master.accept(channel, caller);
    else channel.close('this master is joining again');
  };

  hint: Master['hint'] = (hint) => this.master?.hint(hint);

  /** While it joins again it has no session that is good. */
  get isRegistryGood(): boolean {
    return this.master?.isRegistryGood ?? false;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.stopping.abort();
    await (this.master?.stop() ?? this.rejoining);
  }

  private async start(): Promise<void> {
    let epoch = 0;
    const { registry } = this.ports;
    const master = await Master.start(this.config, {
      ...this.ports,
      registry: registry && { ...registry, signal: this.stopping.signal },
      onOver: (reason) => this.ended(epoch, reason),
    });
    epoch = master.context.self.epoch;
    this.master = master;
    if (this.isStopping) await master.stop();
  }

  private ended(epoch: number, reason: string): void {
    this.master = undefined;
    if (this.isStopping) return;
    this.rejoining = this.rejoin(epoch, reason).catch((error) => this.onOver((error as Error).message));
  }

  /** Joins again if it was only fenced. */
  private async rejoin(epoch: number, reason: string): Promise<void> {
    const { registry, store, log } = this.ports;
    while (!this.isStopping) {
      try {
        const row = (await store.listNodes()).find(({ id }) => id === this.config.id);
        if (!registry || row?.epoch !== epoch || row.fenced === 0) {
          this.onOver(reason);
          return;
        }
        log('info', `master ${this.config.id} joins again`);
        await this.start();
        return;
      } catch (error) {
        log('warn', `master ${this.config.id} cannot join yet: ${(error as Error).message}`);
        await sleep(RETRY_EVERY);
      }
    }
  }
}

/** The options that were given. */
function given(options: NodeOptions): Partial<NodeOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
