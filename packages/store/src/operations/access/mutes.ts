/** Mutes of needs: somebody has seen a need and hides it for now. */
import { change, type Operation, rows } from '../../operation.ts';
import { remember } from '../lists/history.ts';
import { audit } from './audit.ts';

/** A hidden need: until a time, or else until a run after `seen` adds to it. */
export interface Mute {
  readonly id: string;
  readonly actor: string;
  readonly at: number;
  readonly until: number | null;
  readonly seen: number;
  readonly reason: string;
}

/** Mutes a need, or changes its mute; `text` describes the need in the list of mutes. */
export function* muteNeed(mute: Mute & { readonly text?: string }): Operation<void> {
  const { id, actor, at, until, seen, reason, text } = mute;
  yield* change(
    `INSERT INTO need_mute (id, actor, at, until, seen, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (id) DO UPDATE SET actor = excluded.actor, at = excluded.at, until = excluded.until,
       seen = excluded.seen, reason = excluded.reason`,
    id,
    actor,
    at,
    until,
    seen,
    reason,
  );
  yield* remember([{ actor, kind: 'need', subject: id, action: 'mute', body: { until, reason, text } }], at);
  yield* audit(actor, 'need.mute', id, { until, reason, text: text ?? null }, at);
}

/** Unmutes a need; false if it was not muted. */
export function* unmuteNeed(input: {
  readonly id: string;
  readonly actor: string;
  /** Description of the need, if it still exists. */
  readonly text?: string;
  readonly now: number;
}): Operation<boolean> {
  const { id, actor, text, now } = input;
  const changed = yield* change('DELETE FROM need_mute WHERE id = ?1', id);
  if (changed > 0) {
    yield* remember([{ actor, kind: 'need', subject: id, action: 'unmute', body: { text } }], now);
    yield* audit(actor, 'need.unmute', id, { text: text ?? null }, now);
  }
  return changed > 0;
}

/** All mutes; `sweepMutes` deletes expired ones. */
export function* listMutes(): Operation<readonly Mute[]> {
  return yield* rows<Mute>('SELECT id, actor, at, until, seen, reason FROM need_mute');
}

/**
 * Deletes mutes that ended before a time, and mutes without an end that are older than `age`; returns how
 * many.
 */
export function* sweepMutes(input: { readonly now: number; readonly age: number }): Operation<number> {
  return yield* change(
    'DELETE FROM need_mute WHERE (until IS NOT NULL AND until < ?1) OR (until IS NULL AND at < ?2)',
    input.now,
    input.now - input.age,
  );
}
