/**
 * The settings of schedule ownership: one document for the whole cluster. In `scope` mode the leader plans
 * (or, without a registry, a hash decides); in `claim` mode each master takes free schedules up to its limit.
 */
import type { OwnershipSettings } from './schema.ts';

/** Defaults, used until the settings are first stored. */
export const ownershipDefaults: OwnershipSettings = {
  mode: 'scope',
  tolerance: 1,
  alarmAbove: 10_000,
  sweepEvery: 30_000,
  masters: {},
};

/** Claim settings of one master. */
export interface Claimant {
  readonly tolerance: number;
  readonly alarmAbove: number;
  readonly weight: number;
}

/** The claim settings of one master: its own values, else those of all. */
export function claimantOf({ masters, tolerance, alarmAbove }: OwnershipSettings, name: string): Claimant {
  const own = Object.hasOwn(masters, name) ? masters[name] : {};
  return {
    tolerance: own.tolerance ?? tolerance,
    alarmAbove: own.alarmAbove ?? alarmAbove,
    weight: own.weight ?? 1,
  };
}
