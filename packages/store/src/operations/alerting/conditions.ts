/**
 * Lasting conditions of the cluster that no single change causes: a queue that no worker serves, a disk that
 * fills up, a history near its limit. A condition is raised once, in the transaction that records it, and
 * stays open until a later check no longer finds it.
 */
import type { AlertKind } from '@orrery/core/alert';
import { change, type Operation, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { listQueues } from '../lists/overview-reads.ts';
import { clusterAlert, raise } from './alerts.ts';

/** A condition as found by a check; at most one per kind and name is open. */
interface Condition {
  readonly name: string;
  readonly text: string;
}

/** Attempts waiting no longer than this may have a worker that is just restarting. */
const PATIENCE = 15_000;
/** A disk is nearly full from this share in use. */
const NEARLY_FULL = 0.9;
const MOST_QUEUES = 1_000;

/** Checks queues and workers; returns the number of open conditions. */
export function* checkConditions(input: { readonly self: Self; readonly now: number }): Operation<number> {
  const { self, now } = input;
  yield* checkSelf(self);
  const workers = yield* rows<{ id: string; groups: string; load: string; able: number }>(
    `SELECT id, groups, load, CASE WHEN draining = 0 AND unhealthy IS NULL THEN 1 ELSE 0 END AS able
     FROM worker WHERE lost = 0`,
  );
  const served = new Set(
    workers.filter(({ able }) => able === 1).flatMap(({ groups }) => readOr<string[]>(groups, [])),
  );
  const queues = (yield* listQueues({ limit: MOST_QUEUES })).filter(
    ({ group, oldest }) => !served.has(group) && oldest <= now - PATIENCE,
  );
  const disks = workers
    .map(({ id, load }) => ({ id, used: readOr<{ disk?: number }>(load, {}).disk ?? 0 }))
    .filter(({ used }) => used >= NEARLY_FULL);
  const unserved = queues.map(({ group, count }) => ({
    name: group,
    text: `${count} attempts wait, and no worker of group ${group} can take them`,
  }));
  const full = disks.map(({ id, used }) => ({
    name: id,
    text: `${Math.round(used * 100)} % of its disk are in use`,
  }));
  yield* setConditions(self, 'no-worker', unserved, now);
  yield* setConditions(self, 'disk', full, now);
  return unserved.length + full.length;
}

/** Records whether a part of the history is near its limit. Two masters may do so at once. */
export function* setRetentionAlerts(input: {
  readonly self: Self;
  readonly part: string;
  readonly count: number;
  readonly most: number;
  readonly now: number;
}): Operation<void> {
  const { self, part, count, most, now } = input;
  const text = `there are ${count} ${part}, and ${most} are kept at most: older ones will be deleted before their time`;
  yield* setCondition(self, 'retention', { name: part, text }, count >= most * NEARLY_FULL, now);
}

/** Opens and closes conditions of a kind, so that exactly the given ones are open. */
function* setConditions(
  self: Self,
  kind: AlertKind,
  found: readonly Condition[],
  now: number,
): Operation<void> {
  const open = yield* rows<{ name: string }>('SELECT name FROM alert_condition WHERE kind = ?1', kind);
  for (const one of found) yield* setCondition(self, kind, one, true, now);
  for (const { name } of open)
    if (!found.some((one) => one.name === name))
      yield* setCondition(self, kind, { name, text: '' }, false, now);
}

function* setCondition(
  self: Self,
  kind: AlertKind,
  { name, text }: Condition,
  isSo: boolean,
  now: number,
): Operation<void> {
  if (!isSo) {
    yield* change('DELETE FROM alert_condition WHERE kind = ?1 AND name = ?2', kind, name);
    return;
  }
  const begun = yield* change(
    'INSERT INTO alert_condition (kind, name, since) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING',
    kind,
    name,
    now,
  );
  if (begun > 0) yield* raise(self, [clusterAlert(kind, name, text)], now);
}
