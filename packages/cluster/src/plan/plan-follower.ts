/**
 * Follows the plan of one registry session: reads the value of `live` at every hint, adopts a newer plan at once, and
 * acknowledges it. Adopting waits for nobody: what a holder has lost is fired by whoever holds it now.
 */
import { type Plan, planHash } from '@orrery/core/shard';
import { isRegistryError, join, type Registry, type Watch } from '@orrery/registry';
import type { QuietLog } from '../quiet-log.ts';
import type { ClusterPaths } from '../registry-link.ts';
import { readPlanText, type WrittenPlan } from './plan-value.ts';

export interface FollowerPorts {
  readonly registry: Registry;
  readonly paths: ClusterPaths;
  readonly node: string;
  /** A value of `live` that is no plan is said once a minute. */
  readonly trouble: QuietLog;
  readonly adopt: (written: WrittenPlan) => void;
  /** The value of `live` is no plan. */
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

  /** Reads the plan, and again whenever it changes. */
  async start(): Promise<void> {
    const { registry, paths } = this.ports;
    this.watch = await registry.watch(paths.live, 'entry', () => void this.read());
    if (this.isStopped) this.watch.stop();
    await this.read();
  }

  /** Reads the plan again: the safety net for a hint that was lost. */
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
      // Away, or the session is lost: a resync follows when the registry is back.
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
      // It was acknowledged already, or the next plan has replaced it.
      if (!isRegistryError(error, 'exists', 'no-parent')) throw error;
    }
  }
}
