/** Mutes: things that need people, which somebody has seen and does not want to see for now. */
import { change, type Operation, rows } from '../../operation.ts';
import { remember } from '../lists/history.ts';
import { audit } from './audit.ts';

/** A need that is not shown: until a time, or without one until a run after `seen` adds to it. */
export interface Mute {
  readonly id: string;
  readonly actor: string;
  readonly at: number;
  readonly until: number | null;
  readonly seen: number;
  readonly reason: string;
}

/** Mutes a need, or changes its mute; `text` is what the need says, for those who read what was muted. */
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

/** Shows a need again; false when it was not muted. */
export function* unmuteNeed(input: {
  readonly id: string;
  readonly actor: string;
  /** What the need says, where there still is one. */
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

/** Every mute; those whose time is over are dropped by `sweepMutes`. */
export function* listMutes(): Operation<readonly Mute[]> {
  return yield* rows<Mute>('SELECT id, actor, at, until, seen, reason FROM need_mute');
}

/** Drops mutes that ended before a time, and those without an end that are older than `age`; how many went. */
export function* sweepMutes(input: { readonly now: number; readonly age: number }): Operation<number> {
  return yield* change(
    'DELETE FROM need_mute WHERE (until IS NOT NULL AND until < ?1) OR (until IS NULL AND at < ?2)',
    input.now,
    input.now - input.age,
  );
}
