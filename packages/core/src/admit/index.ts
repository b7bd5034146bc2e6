/** Admission over several runs: serial modes, limits, groups, caps and fairness. */
export { type FairWaiter, fairOrder, type Shares } from './fairness.ts';
export {
  ask,
  type Grant,
  type Limit,
  limitOfGroup,
  limitsOfRun,
  type RunPlace,
} from './limits.ts';
export { admissionOf, type RunAdmission } from './run-admission.ts';
export { type Admission, admitRun, type OpenRun } from './serial.ts';
