/**
 * The plan as stored under `live`, with its author, time and reason, so that any later leader can record it.
 */
import { type Plan, parsePlan, planHash } from '@orrery/core/shard';
import type { PlanRow } from '@orrery/store';

/** A plan with its author, time and reason. */
export interface WrittenPlan {
  readonly plan: Plan;
  readonly leader: string;
  readonly reason: string;
  /** When it was written, in epoch milliseconds. */
  readonly at: number;
  /** Number of schedules, and how many of them changed hands. */
  readonly schedules: number;
  readonly moved: number;
}

export function planText({ plan, ...story }: WrittenPlan): string {
  return JSON.stringify({ ...plan, ...story });
}

/** Parses the value of `live`; undefined before the first plan. Throws if the value is not a plan. */
export function readPlanText(text: string): WrittenPlan | undefined {
  if (text === '') return undefined;
  const plan = parsePlan(text);
  const { leader, reason, at, schedules, moved } = JSON.parse(text) as Partial<Record<string, unknown>>;
  return {
    plan,
    leader: typeof leader === 'string' ? leader : '',
    reason: typeof reason === 'string' ? reason : '',
    at: count(at),
    schedules: count(schedules),
    moved: count(moved),
  };
}

/** Converts a plan to the store's record. */
export function planRow({
  plan,
  leader,
  reason,
  at,
  schedules,
  moved,
}: WrittenPlan): Omit<PlanRow, 'adoptedAt'> {
  return {
    number: plan.number,
    mode: plan.mode,
    strategy: plan.mode === 'scope' ? plan.strategy : null,
    hash: planHash(plan),
    leader,
    reason,
    body: JSON.stringify(plan),
    schedules,
    moved,
    writtenAt: at,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
