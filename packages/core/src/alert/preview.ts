/** What a rule would have sent for alerts of the past: how many matched, and how many times it would have fired. */
import { type AlertEvent, alertKinds } from './kinds.ts';
import { groupKey, matches } from './match.ts';
import { quietUntil } from './quiet.ts';
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
  /** When its first message is due: after the delay and after quiet hours. */
  readonly due: number;
  /** Until when alerts join it. */
  end: number;
  /** Whether something of it still lasts when it is due. */
  lasts: boolean;
  /** Whether all of it are things that do not last: these are told all the same. */
  isMoment: boolean;
}

/** Plays alerts, oldest first, to a rule. A group is over when all of it is, and at least `update` after its last alert. */
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
      group = { due, end: due, lasts: false, isMoment: true };
      open.set(key, group);
    }
    const ends = alert.endedAt ?? Number.POSITIVE_INFINITY;
    const isMoment = !alertKinds[alert.kind].lasts;
    group.end = Math.max(group.end, ends, delay === 0 ? alert.at + update : 0);
    group.isMoment &&= isMoment;
    group.lasts ||= !isMoment && ends >= group.due;
  }
  for (const group of open.values()) close(group);
  return { matched, fired: fired.length, last: fired.length === 0 ? null : Math.max(...fired) };
}
