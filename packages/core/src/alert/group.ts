/**
 * A group of alerts that are told together, and what is to be told of it now.
 *
 * pending -> firing -> over; a group whose trouble ends while it is pending is over without a message.
 * A group that is muted or in quiet hours keeps its state, and is looked at again when that ends.
 */
import { quietUntil } from './quiet.ts';
import type { AlertRule } from './schema.ts';

export type GroupState = 'pending' | 'firing' | 'over';

/** Why a message is sent. */
export type MessageReason = 'new' | 'more' | 'repeat' | 'escalate' | 'resolve';

/** A group as the store keeps it. */
export interface AlertGroup {
  readonly state: GroupState;
  readonly firstAt: number;
  /** Alerts so far, and how many of them were told. */
  readonly count: number;
  readonly told: number;
  /** When the last message was written; null before the first. */
  readonly toldAt: number | null;
  readonly escalated: boolean;
  readonly acknowledged: boolean;
}

/** What is so now. */
export interface GroupFacts {
  readonly now: number;
  /** `open`: the trouble lasts; `ended`: it does not any more; `moment`: all of it are things that do not last. */
  readonly trouble: 'open' | 'ended' | 'moment';
  /** The end of a mute that covers the group. */
  readonly mutedUntil: number | undefined;
}

/** What becomes of a group. */
export interface GroupDecision {
  readonly state: GroupState;
  /** When to look again; null for a group that is over. */
  readonly due: number | null;
  readonly send?: { readonly reason: MessageReason; readonly channels: readonly string[] };
}

export function decideGroup(group: AlertGroup, rule: AlertRule, facts: GroupFacts): GroupDecision {
  const { now, trouble, mutedUntil } = facts;
  if (trouble === 'ended' && group.state === 'pending') return { state: 'over', due: null };
  const silentUntil = mutedUntil ?? (rule.quiet && quietUntil(rule.quiet, now));
  if (silentUntil !== undefined) return { state: group.state, due: silentUntil };
  if (trouble === 'ended') {
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
  if (trouble === 'moment' && group.count === group.told) return { state: 'over', due: null };
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

/** While it lasts it is looked at again this often: that is how its end is noticed. */
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
