/** Retention of alerting: closed groups, messages sent or given up, expired mutes. */
import { change, type Operation } from '../../operation.ts';

/**
 * Deletes entries older than `before`, at most `limit` of each kind. Open groups and waiting messages stay.
 */
export function* sweepAlerts(before: number, limit: number): Operation<void> {
  const oldDeliveries = `SELECT id FROM delivery WHERE created_at < ?1 AND state <> 'waiting' ORDER BY created_at LIMIT ?2`;
  const oldGroups = `SELECT id FROM alert_group WHERE last_at < ?1 AND state = 'over' ORDER BY last_at LIMIT ?2`;
  yield* change(`DELETE FROM delivery_try WHERE delivery IN (${oldDeliveries})`, before, limit);
  yield* change(`DELETE FROM delivery WHERE id IN (${oldDeliveries})`, before, limit);
  yield* change(`DELETE FROM alert_subject WHERE group_id IN (${oldGroups})`, before, limit);
  yield* change(`DELETE FROM alert_group WHERE id IN (${oldGroups})`, before, limit);
  yield* change('DELETE FROM alert_mute WHERE until < ?1', before);
}
