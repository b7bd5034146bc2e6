/**
 * Adjusts actions to the caller's role: an action that the state allows but the role does not names who may
 * take it.
 */
import type { Action } from '@orrery/contract';
import { type AccessAction, buttonActions, type Role, roleActions, roleFor } from '@orrery/contract/roles';
import { type Said, said } from '@orrery/core/texts';
import { reasonOf } from '../worded.ts';

/** An answer whose actions, at the top, in its parts and in its list entries, fit the caller's role. */
export function withActionsFor<T>(role: Role, answer: T): T {
  if (role === 'admin' || answer === null || typeof answer !== 'object') return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => {
      if (!Array.isArray(value)) return [key, hasActions(value) ? withActionsFor(role, value) : value];
      if (key === 'actions') return [key, value.map((action) => narrow(role, action))];
      return [key, value.map((entry) => (hasActions(entry) ? withActionsFor(role, entry) : entry))];
    }),
  ) as T;
}

function hasActions(entry: unknown): boolean {
  return entry !== null && typeof entry === 'object' && 'actions' in entry;
}

function narrow(role: Role, action: Action): Action {
  const needed = buttonActions[action.name] ?? 'workflow.edit';
  if (!action.allowed || roleActions[role].has(needed)) return action;
  return { ...action, allowed: false, ...reasonOf(needsRole(needed)) };
}

/** Why a role does not suffice, and who can help. */
export function needsRole(action: AccessAction): Said {
  return said('access.needsRole', { role: roleFor(action) });
}
