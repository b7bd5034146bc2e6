/** Recipes on the registry interface, the same on every implementation. */
export { enterBarrier } from './barrier.ts';
export { Candidate, type CandidateState, leaderOf } from './election.ts';
export { acquireLock, type HeldLock } from './fair-lock.ts';
export { type MemberChange, Membership } from './membership.ts';
export { ensure, persist } from './persist.ts';
