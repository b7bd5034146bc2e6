/**
 * The settings that decide who fires which schedule: one document for the whole cluster. `scope` lets the leader plan
 * (or, without a registry, a hash decide); `claim` lets each master take free schedules up to its limit.
 */
import type { OwnershipSettings } from './schema.ts';

/** What holds before anyone sets it. */
export const ownershipDefaults: OwnershipSettings = {
  mode: 'scope',
  tolerance: 1,
  alarmAbove: 10_000,
  sweepEvery: 30_000,
  masters: {},
};

/** What one master counts with. */
export interface Claimant {
  readonly tolerance: number;
  readonly alarmAbove: number;
  readonly weight: number;
}

/** The settings of one master: its own where it has them, else those of all. */
export function claimantOf({ masters, tolerance, alarmAbove }: OwnershipSettings, name: string): Claimant {
  const own = Object.hasOwn(masters, name) ? masters[name] : {};
  return {
    tolerance: own.tolerance ?? tolerance,
    alarmAbove: own.alarmAbove ?? alarmAbove,
    weight: own.weight ?? 1,
  };
}
