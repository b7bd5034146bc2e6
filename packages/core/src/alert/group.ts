/**
 * A group of alerts that share messages, and the decision what to send about it now.
 *
 * pending -> firing -> over; a group whose trouble ends while it is pending is over without a message. A firing one
 * stays open for `update` after its last message: trouble that comes back by then joins it, so flapping is a handful
 * of messages.
 * A muted group, or one in quiet hours, keeps its state and is checked again when the mute or the hours end.
 */
import { quietUntil } from './quiet.ts';
import type { AlertRule } from './schema.ts';

export type GroupState = 'pending' | 'firing' | 'over';

/** Reason for a message. */
export type MessageReason = 'new' | 'more' | 'repeat' | 'escalate' | 'resolve';

/** A group as stored. */
export interface AlertGroup {
  readonly state: GroupState;
  readonly firstAt: number;
  /** Number of alerts so far, and how many of them were sent. */
  readonly count: number;
  readonly told: number;
  /** When the last message was written; null before the first. */
  readonly toldAt: number | null;
  readonly escalated: boolean;
  readonly acknowledged: boolean;
}

/** Current facts about a group. */
export interface GroupFacts {
  readonly now: number;
  /** `open`: the trouble lasts; `ended`: it is over; `moment`: all alerts are about momentary events. */
  readonly trouble: 'open' | 'ended' | 'moment';
  /** The end of a mute that covers the group. */
  readonly mutedUntil: number | undefined;
}

/** Decision about a group. */
export interface GroupDecision {
  readonly state: GroupState;
  /** When to check again; null for a group that is over. */
  readonly due: number | null;
  readonly send?: { readonly reason: MessageReason; readonly channels: readonly string[] };
}

export function decideGroup(group: AlertGroup, rule: AlertRule, facts: GroupFacts): GroupDecision {
  const { now, trouble, mutedUntil } = facts;
  if (trouble === 'ended' && group.state === 'pending') return { state: 'over', due: null };
  const silentUntil = mutedUntil ?? (rule.quiet && quietUntil(rule.quiet, now));
  if (silentUntil !== undefined) return { state: group.state, due: silentUntil };
  const heldUntil = (group.toldAt ?? 0) + rule.update;
  if (trouble === 'ended') {
    if (now < heldUntil) return { state: 'firing', due: heldUntil };
    const over = { state: 'over', due: null } as const;
    if (!rule.resolve) return over;
    const channels = group.escalated ? [...rule.channels, ...(rule.escalate?.channels ?? [])] : rule.channels;
    return { ...over, send: { reason: 'resolve', channels: [...new Set(channels)] } };
  }
  if (group.state === 'pending') {
    const from = group.firstAt + rule.delay;
    if (now < from) return { state: 'pending', due: from };
    return { state: 'firing', due: next(rule, { ...group, toldAt: now }, now), send: to(rule, 'new') };
  }
  if (trouble === 'moment' && group.count === group.told)
    return now < heldUntil ? { state: 'firing', due: heldUntil } : { state: 'over', due: null };
  const reason = reasonNow(group, rule, now);
  if (!reason) return { state: 'firing', due: next(rule, group, now) };
  if (reason === 'escalate') {
    const channels = rule.escalate?.channels ?? [];
    const due = next(rule, { ...group, escalated: true, toldAt: now }, now);
    return { state: 'firing', due, send: { reason, channels } };
  }
  return { state: 'firing', due: next(rule, { ...group, toldAt: now }, now), send: to(rule, reason) };
}

function reasonNow(group: AlertGroup, rule: AlertRule, now: number): MessageReason | undefined {
  const toldAt = group.toldAt ?? 0;
  if (canEscalate(group, rule) && now >= group.firstAt + (rule.escalate?.after ?? 0)) return 'escalate';
  if (group.acknowledged) return undefined;
  if (group.count > group.told && now >= toldAt + rule.update) return 'more';
  return now >= toldAt + rule.repeat ? 'repeat' : undefined;
}

/** Interval of checks while the trouble lasts, in milliseconds: this is how its end is noticed. */
const LOOK_EVERY = 30_000;

function next(rule: AlertRule, group: AlertGroup, now: number): number {
  const times = [now + Math.min(rule.update, LOOK_EVERY), (group.toldAt ?? now) + rule.repeat];
  if (canEscalate(group, rule)) times.push(group.firstAt + (rule.escalate?.after ?? 0));
  return Math.max(now + 1_000, Math.min(...times));
}

function canEscalate({ acknowledged, escalated }: AlertGroup, { escalate }: AlertRule): boolean {
  return escalate !== undefined && !acknowledged && !escalated;
}

function to({ channels }: AlertRule, reason: MessageReason): GroupDecision['send'] {
  return { reason, channels };
}
