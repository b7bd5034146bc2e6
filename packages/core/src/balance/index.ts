/** Claim mode: how many schedules a master may hold, when it gives some back, when it may be drained. */
export { shouldAlarm, shouldClaim, shouldShed, type Verdict } from './decide.ts';
export { claimWarnings, mayDrain } from './drain.ts';
export { type MasterRoom, mayDrainMaster, mayDrainWorker, type WorkerRoom } from './drain-node.ts';
export { type ClaimView, claimLimit, limitOf, type MasterLoad } from './limit.ts';
export { rendezvous } from './rendezvous.ts';
