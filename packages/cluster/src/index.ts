/** A node's life, and who does which duty. */
export { Duties } from './duties.ts';
export { type FiringOrder, rendezvousOrder, STANDBY } from './firing-order.ts';
export { BeatJudge, type Judge } from './judge.ts';
export { type Deed, type Gate, type LifeEvent, type LifeState, lifeMachine, openGate } from './life.ts';
export {
  isActing,
  type Member,
  Membership,
  type MembershipConfig,
  type MembershipPorts,
} from './membership.ts';
export { QuietLog } from './quiet-log.ts';
export { StoreClock } from './store-clock.ts';
