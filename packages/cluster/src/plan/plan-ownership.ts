/**
 * Ownership mode `scope`: the leader's plan assigns the schedules. Until the first plan exists, a hash over
 * the acting masters does. Every registry session has its own follower and, if this master has a strategy,
 * its own candidate.
 */

import { QuietLog } from '@orrery/core/quiet-log';
import { planHash } from '@orrery/core/shard';
import type { Registry } from '@orrery/registry';
import { Candidate } from '@orrery/registry/recipes';
import type { BeatAnswer } from '@orrery/store';
import type { FiringOrder } from '../firing-order.ts';
import {
  type Ownership,
  type OwnershipChange,
  type OwnershipPorts,
  RendezvousOwnership,
} from '../ownership.ts';
import type { RegistryLink } from '../registry-link.ts';
import { PlanFollower } from './plan-follower.ts';
import { PlanLeader } from './plan-leader.ts';
import { planOrder } from './plan-order.ts';
import type { WrittenPlan } from './plan-value.ts';
import type { PlanStrategy } from './planner.ts';

/** Interval of plan reads that no hint asked for, in milliseconds. */
const SWEEP_EVERY = 30_000;

/** Parts that belong to one session. */
interface SessionParts {
  readonly registry: Registry;
  readonly follower: PlanFollower;
  candidate?: Candidate;
  leader?: PlanLeader;
}

export class PlanOwnership implements Ownership {
  private readonly ports: OwnershipPorts;
  private readonly link: RegistryLink;
  private readonly strategy: PlanStrategy | undefined;
  private readonly hash: RendezvousOwnership;
  private readonly trouble: QuietLog;
  private listener: (change: OwnershipChange) => void = () => {};
  private parts: SessionParts | undefined;
  private written: WrittenPlan | undefined;
  private isStopped = false;
  private sweepAt = 0;
  order: FiringOrder;

  /** Without a strategy this master does not stand for election. */
  constructor(ports: OwnershipPorts, link: RegistryLink, strategy: PlanStrategy | undefined) {
    this.ports = ports;
    this.link = link;
    this.strategy = strategy;
    this.hash = new RendezvousOwnership(ports);
    this.trouble = new QuietLog(ports.log, ports.clock);
    this.order = this.hash.order;
    this.hash.listen((change) => {
      if (!this.written) this.follow(change);
    });
    link.listen({
      opened: (registry) => this.begin(registry),
      members: () => this.parts?.leader?.look(),
    });
  }

  /** The current plan's number and hash. */
  get plan(): { number: number; hash: string } | undefined {
    return this.written && { number: this.written.plan.number, hash: planHash(this.written.plan) };
  }

  listen(listener: (change: OwnershipChange) => void): void {
    this.listener = listener;
  }

  beat(answer: BeatAnswer): void {
    this.hash.beat(answer);
    this.parts?.leader?.beat(answer);
    const now = this.ports.clock.monotonic();
    if (now < this.sweepAt) return;
    this.sweepAt = now + SWEEP_EVERY;
    this.parts?.follower.look();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    const { parts } = this;
    this.parts = undefined;
    this.end(parts);
    if (parts?.registry.session.state === 'connected') await parts.candidate?.resign();
  }

  private follow(change: OwnershipChange): void {
    this.order = change.order;
    this.listener(change);
  }

  private adopt(written: WrittenPlan): void {
    if (this.isStopped || written.plan.number <= (this.written?.plan.number ?? 0)) return;
    this.written = written;
    this.follow({ order: planOrder(this.ports.self.node, written.plan) });
  }

  private begin(registry: Registry): void {
    if (this.isStopped) return;
    this.end(this.parts);
    const follower = new PlanFollower({
      registry,
      paths: this.link.paths,
      node: this.ports.self.node,
      trouble: this.trouble,
      adopt: (written) => this.adopt(written),
      foreign: () => this.parts?.leader?.replace(),
    });
    const parts: SessionParts = { registry, follower };
    this.parts = parts;
    // If the session is lost meanwhile, the next session starts over.
    follower.start().catch(() => {});
    this.stand(parts).catch((error) => {
      if (registry.session.lostBecause === undefined)
        this.ports.log('warn', `could not stand for election: ${(error as Error).message}`);
    });
  }

  private end(parts: SessionParts | undefined): void {
    parts?.follower.stop();
    parts?.leader?.stop();
  }

  private async stand(parts: SessionParts): Promise<void> {
    const { strategy, link, ports } = this;
    const { registry } = parts;
    if (strategy === undefined) return;
    const candidate = await Candidate.stand(registry, link.paths.election, ports.self.node, (state) => {
      if (state === 'leading') this.lead(parts, strategy);
      if (state !== 'out' || this.parts !== parts) return;
      parts.leader?.stop();
      // Somebody deleted its place although the session is still alive.
      if (registry.session.lostBecause === undefined) this.stand(parts).catch(() => {});
    });
    parts.candidate = candidate;
    if (this.isStopped) await candidate.resign();
    else if (candidate.isLeading) this.lead(parts, strategy);
  }

  private lead(parts: SessionParts, strategy: PlanStrategy): void {
    const { candidate, registry } = parts;
    // The election may answer before its candidate is assigned; `stand` handles that case afterwards.
    if (!candidate || this.parts !== parts) return;
    const { store, clock, self, log } = this.ports;
    parts.leader?.stop();
    const { link } = this;
    const leader = new PlanLeader({
      ...{ registry, candidate, strategy, store, clock, self, log },
      paths: link.paths,
      live: () => link.live,
    });
    parts.leader = leader;
    log('info', `${self.node} leads: it divides the schedules among the masters`);
    leader.start();
  }
}
