export { shouldAlarm, shouldClaim, shouldShed, type Verdict } from './decide.ts';
export { claimWarnings, mayDrain } from './drain.ts';
export { type ClaimView, claimLimit, limitOf, type MasterLoad } from './limit.ts';
