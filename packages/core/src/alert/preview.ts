/** Preview of a rule on past alerts: how many would have matched, and how often it would have fired. */
import { type AlertEvent, alertKinds } from './kinds.ts';
import { groupKey, matches } from './match.ts';
import { quietUntil } from './quiet.ts';
import type { AlertRule } from './schema.ts';

/** A past alert; `endedAt` is null while its condition lasts. */
export interface PastAlert extends AlertEvent {
  readonly at: number;
  readonly endedAt: number | null;
}

/** Result of a preview; `fired` counts first messages, without repetition. */
export interface RulePreview {
  readonly matched: number;
  readonly fired: number;
  /** When it would last have fired; null if never. */
  readonly last: number | null;
}

interface OpenGroup {
  /** When its first message is due: after the delay and quiet hours. */
  readonly due: number;
  /** When its last message is due. */
  told: number;
  /** Until when alerts join it. */
  end: number;
  /** Whether part of it still lasts when it is due. */
  lasts: boolean;
  /** Whether all its alerts are momentary: these are sent in any case. */
  isMoment: boolean;
}

/**
 * Replays alerts, oldest first, against a rule. A group is over when all its alerts are, and at least
 * `update` after its last message.
 */
export function previewRule(rule: AlertRule, alerts: readonly PastAlert[]): RulePreview {
  const { delay, update, quiet } = rule;
  const open = new Map<string, OpenGroup>();
  const fired: number[] = [];
  const close = ({ lasts, isMoment, due }: OpenGroup) => {
    if (lasts || isMoment) fired.push(due);
  };
  let matched = 0;
  for (const alert of alerts) {
    if (!matches(rule.match, alert)) continue;
    matched++;
    const key = groupKey(rule, alert);
    let group = open.get(key);
    if (group && alert.at > group.end) {
      close(group);
      group = undefined;
    }
    if (!group) {
      const from = alert.at + delay;
      const due = (quiet && quietUntil(quiet, from)) ?? from;
      group = { due, told: due, end: due, lasts: false, isMoment: true };
      open.set(key, group);
    }
    const ends = alert.endedAt ?? Number.POSITIVE_INFINITY;
    const isMoment = !alertKinds[alert.kind].lasts;
    if (alert.at > group.told) group.told = Math.max(alert.at, group.told + update);
    group.isMoment &&= isMoment;
    group.lasts ||= !isMoment && ends >= group.due;
    const isTold = group.isMoment || group.lasts;
    group.end = Math.max(group.end, ends, isTold ? group.told + update : 0);
  }
  for (const group of open.values()) close(group);
  return { matched, fired: fired.length, last: fired.length === 0 ? null : Math.max(...fired) };
}
