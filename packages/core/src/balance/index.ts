/** Claim mode: how many schedules a master may hold, when it gives some back, when it may be drained. */
export { claimRoom, shedCount } from './claim-count.ts';
export { shouldAlarm, shouldClaim, type Verdict } from './decide.ts';
export { claimWarnings, mayDrain } from './drain.ts';
export { type MasterRoom, mayDrainMaster, mayDrainWorker, type WorkerRoom } from './drain-node.ts';
export { type ClaimView, limitOf, type MasterLoad } from './limit.ts';
export {
  type Claimant,
  claimantOf,
  ownershipDefaults,
} from './ownership.ts';
export { rendezvous } from './rendezvous.ts';
export type { OwnershipSettings } from './schema.ts';
