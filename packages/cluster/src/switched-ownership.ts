/**
 * The ownership that the cluster's settings ask for; every beat carries them. A change of mode stops the old
 * ownership and starts the new one. Until the new one knows its holdings, standby masters fire due schedules.
 */
import { type OwnershipSettings, ownershipDefaults } from '@orrery/core/balance';
import type { BeatAnswer } from '@orrery/store';
import { ClaimOwnership } from './claim/claim-ownership.ts';
import type { FiringOrder } from './firing-order.ts';
import type { Ownership, OwnershipChange, OwnershipPorts } from './ownership.ts';

export class SwitchedOwnership implements Ownership {
  private readonly ports: OwnershipPorts;
  private readonly scope: (ports: OwnershipPorts) => Ownership;
  private listener: (change: OwnershipChange) => void = () => {};
  private current: Ownership;
  private settings: OwnershipSettings = ownershipDefaults;
  private text: string | null = null;

  /** `scope` creates the ownership for any mode other than claims. */
  constructor(ports: OwnershipPorts, scope: (ports: OwnershipPorts) => Ownership) {
    this.ports = ports;
    this.scope = scope;
    this.current = scope(ports);
  }

  get order(): FiringOrder {
    return this.current.order;
  }

  get plan(): Ownership['plan'] {
    return this.current.plan;
  }

  listen(listener: (change: OwnershipChange) => void): void {
    this.listener = listener;
    this.current.listen(listener);
  }

  async beat(answer: BeatAnswer): Promise<void> {
    if (answer.ownership !== this.text) await this.follow(answer.ownership);
    await this.current.beat(answer);
  }

  stop(): Promise<void> {
    return this.current.stop();
  }

  private async follow(text: string | null): Promise<void> {
    const { settings: before, ports } = this;
    this.text = text;
    this.settings = { ...ownershipDefaults, ...(text === null ? {} : JSON.parse(text)) };
    if (this.settings.mode !== before.mode) {
      ports.log('info', `who fires which schedule: ${before.mode} -> ${this.settings.mode}`);
      await this.current.stop();
      this.current =
        this.settings.mode === 'claim' ? new ClaimOwnership(ports, this.settings) : this.scope(ports);
      this.current.listen(this.listener);
      this.listener({ order: this.current.order });
    } else if (this.current instanceof ClaimOwnership) this.current.configure(this.settings);
  }
}
