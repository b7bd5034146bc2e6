/** What a rule would have sent for alerts of the past: how many matched, and how many times it would have fired. */
import type { AlertEvent } from './kinds.ts';
import { groupKey, matches } from './match.ts';
import type { AlertRule } from './schema.ts';

/** An alert of the past; `endedAt` is null while what it is about lasts. */
export interface PastAlert extends AlertEvent {
  readonly at: number;
  readonly endedAt: number | null;
}

/** The answer; `fired` counts first messages, without repetition. */
export interface RulePreview {
  readonly matched: number;
  readonly fired: number;
  /** When it would have fired last; null if never. */
  readonly last: number | null;
}

interface OpenGroup {
  first: number;
  end: number;
}

/** Plays alerts, oldest first, to a rule. A group is over when all of it is, and at least `update` after its last alert. */
export function previewRule(rule: AlertRule, alerts: readonly PastAlert[]): RulePreview {
  const { delay, update } = rule;
  const open = new Map<string, OpenGroup>();
  const fired: number[] = [];
  const close = ({ first, end }: OpenGroup) => {
    if (delay === 0 || end - first >= delay) fired.push(first + delay);
  };
  let matched = 0;
  for (const alert of alerts) {
    if (!matches(rule.match, alert)) continue;
    matched++;
    const key = groupKey(rule, alert);
    const end = Math.max(alert.endedAt ?? Number.POSITIVE_INFINITY, delay === 0 ? alert.at + update : 0);
    const group = open.get(key);
    if (group && alert.at <= group.end) {
      group.end = Math.max(group.end, end);
      continue;
    }
    if (group) close(group);
    open.set(key, { first: alert.at, end });
  }
  for (const group of open.values()) close(group);
  return { matched, fired: fired.length, last: fired.length === 0 ? null : Math.max(...fired) };
}
