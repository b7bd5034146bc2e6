export {
  type AlertGroup,
  decideGroup,
  type GroupDecision,
  type GroupFacts,
  type GroupState,
  type MessageReason,
} from './group.ts';
export {
  type AlertEvent,
  type AlertKind,
  alertKindNames,
  alertKinds,
  isAtLeast,
  isChosen,
  type Severity,
  severities,
} from './kinds.ts';
export { groupKey, matches } from './match.ts';
export { type PastAlert, previewRule, type RulePreview } from './preview.ts';
export { type QuietHours, quietUntil } from './quiet.ts';
export type { AlertMatch, AlertRule } from './schema.ts';
