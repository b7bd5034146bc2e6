/** The plan as it is kept under `live`: with who wrote it, when and why, so that any later leader can record it. */
import { type Plan, parsePlan, planHash } from '@orrery/core/shard';
import type { PlanRow } from '@orrery/store';

/** A plan and its story. */
export interface WrittenPlan {
  readonly plan: Plan;
  readonly leader: string;
  readonly reason: string;
  /** When it was written, in epoch milliseconds. */
  readonly at: number;
  /** How many schedules there were, and how many of them changed hands. */
  readonly schedules: number;
  readonly moved: number;
}

export function planText({ plan, ...story }: WrittenPlan): string {
  return JSON.stringify({ ...plan, ...story });
}

/** Reads a value of `live`; undefined while nobody has written a plan. Throws what is wrong with a foreign value. */
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

/** A plan as the store records it. */
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
