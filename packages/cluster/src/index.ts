/** Node membership and the assignment of duties. */
export { Duties } from './duties.ts';
export { type FiringOrder, STANDBY } from './firing-order.ts';
export { BeatJudge, type Judge } from './judge.ts';
export { type Deed, type Gate, type LifeEvent, type LifeState, lifeMachine, openGate } from './life.ts';
export {
  isActing,
  type Member,
  Membership,
  type MembershipConfig,
  type MembershipPorts,
} from './membership.ts';
export {
  type Ownership,
  type OwnershipChange,
  type OwnershipPorts,
  RendezvousOwnership,
} from './ownership.ts';
export { PlanOwnership } from './plan/plan-ownership.ts';
export type { PlanStrategy } from './plan/planner.ts';
export { type OnRegistryLoss, RegistryJudge, registryLosses } from './registry-judge.ts';
export { RegistryLink } from './registry-link.ts';
export type { RegistryPort } from './registry-port.ts';
export { StoreClock } from './store-clock.ts';
export { SwitchedOwnership } from './switched-ownership.ts';
