/**
 * Follows the plan of one registry session: reads `live` at every hint, adopts a newer plan at once, and
 * acknowledges it. Adopting waits for no other master: the new holder fires the schedules that the old one
 * lost.
 */

import type { QuietLog } from '@orrery/core/quiet-log';
import { type Plan, planHash } from '@orrery/core/shard';
import { isRegistryError, join, type Registry, type Watch } from '@orrery/registry';
import type { ClusterPaths } from '../registry-link.ts';
import { readPlanText, type WrittenPlan } from './plan-value.ts';

export interface FollowerPorts {
  readonly registry: Registry;
  readonly paths: ClusterPaths;
  readonly node: string;
  /** Logs once a minute that the value of `live` is not a plan. */
  readonly trouble: QuietLog;
  readonly adopt: (written: WrittenPlan) => void;
  /** Called when the value of `live` is not a plan. */
  readonly foreign: () => void;
}

export class PlanFollower {
  private readonly ports: FollowerPorts;
  private watch: Watch | undefined;
  private isReading = false;
  private again = false;
  private isStopped = false;

  constructor(ports: FollowerPorts) {
    this.ports = ports;
  }

  /** Reads the plan now and whenever it changes. */
  async start(): Promise<void> {
    const { registry, paths } = this.ports;
    this.watch = await registry.watch(paths.live, 'entry', () => void this.read());
    if (this.isStopped) this.watch.stop();
    await this.read();
  }

  /** Reads the plan again, in case a hint was lost. */
  look(): void {
    void this.read();
  }

  stop(): void {
    this.isStopped = true;
    this.watch?.stop();
  }

  private async read(): Promise<void> {
    this.again = true;
    if (this.isReading) return;
    this.isReading = true;
    while (this.again && !this.isStopped) {
      this.again = false;
      // The registry is away or the session is lost; a resync follows when the registry is back.
      await this.readOnce().catch(() => {});
    }
    this.isReading = false;
  }

  private async readOnce(): Promise<void> {
    const { registry, paths, trouble, adopt, foreign } = this.ports;
    const entry = await registry.get(paths.live);
    if (!entry || this.isStopped) return;
    let written: WrittenPlan | undefined;
    try {
      written = readPlanText(entry.value);
      trouble.over(`the value of ${paths.live} is a plan again`);
    } catch (error) {
      trouble.met(`the value of ${paths.live} is no plan, the last one stays: ${(error as Error).message}`);
      foreign();
    }
    if (!written) return;
    adopt(written);
    await this.acknowledge(written.plan);
  }

  private async acknowledge(plan: Plan): Promise<void> {
    const { registry, paths, node } = this.ports;
    const path = join(paths.acks, String(plan.number), node);
    try {
      await registry.create(path, planHash(plan), { ephemeral: true });
    } catch (error) {
      // Already acknowledged, or superseded by the next plan.
      if (!isRegistryError(error, 'exists', 'no-parent')) throw error;
    }
  }
}
