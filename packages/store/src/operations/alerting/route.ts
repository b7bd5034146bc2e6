/**
 * Routing: puts raised alerts into groups, one for each matching rule. An alert is routed once, in one
 * transaction with the groups it joins; masters that route concurrently get different alerts.
 */
import { type AlertEvent, type AlertKind, groupKey, matches } from '@orrery/core/alert';
import { batch, change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { insert, unnest } from '../../table.ts';
import { alertSubjectTable } from '../../tables.ts';
import { audit } from '../access/audit.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { newNumbers } from '../runs/numbers.ts';
import { tagsOf, type WrittenAlert } from './alerts.ts';
import { EVERYWHERE, listAlertRules, type StoredRule } from './settings.ts';

type Unrouted = WrittenAlert & { readonly tags: string | null };

const unrouted = `SELECT a.id, a.at, a.kind, a.workflow, a.project, a.name, a.run, a.text, a.from_time AS "from",
    a.to_time AS "to", ${tagsOf('a')} AS tags
  FROM alert a WHERE a.routed = 0 ORDER BY a.id LIMIT ?1`;

/** Routes alerts, oldest first; returns their kinds, and whether more may be waiting. */
export function* routeAlerts(input: {
  readonly self: Self;
  readonly limit: number;
  readonly now: number;
}): Operation<{ routed: readonly AlertKind[]; more: boolean }> {
  const { self, limit, now } = input;
  yield* checkSelf(self);
  const alerts = yield* rows<Unrouted>(
    { sqlite: unrouted, postgres: `${unrouted} FOR UPDATE OF a SKIP LOCKED` },
    limit,
  );
  if (alerts.length === 0) return { routed: [], more: false };
  const rules = (yield* listAlertRules()).filter(({ rule }) => rule.enabled);
  const joined = new Map<string, { stored: StoredRule; key: string; alerts: Unrouted[] }>();
  for (const alert of alerts)
    for (const stored of rules) {
      const event = eventOf(alert);
      if (!isOf(stored, alert) || !matches(stored.rule.match, event)) continue;
      const key = groupKey(stored.rule, event);
      const id = JSON.stringify([stored.project, stored.rule.name, key]);
      const group = joined.get(id) ?? { stored, key, alerts: [] };
      group.alerts.push(alert);
      joined.set(id, group);
    }
  for (const { stored, key, alerts: mine } of joined.values()) yield* join(stored, key, mine, now);
  yield* batch(
    {
      sqlite: 'UPDATE alert SET routed = 1 WHERE id = ?1',
      postgres: `UPDATE alert SET routed = 1 FROM ${unnest(['int'])} AS k(id) WHERE alert.id = k.id`,
    },
    ['int'],
    alerts.map(({ id }) => [id]),
  );
  return { routed: alerts.map(({ kind }) => kind), more: alerts.length === limit };
}

/** An alert as rules and mutes see it. */
export function eventOf({
  kind,
  project,
  name,
  tags,
}: Pick<Unrouted, 'kind' | 'project' | 'name' | 'tags'>): AlertEvent {
  return { kind, project, name, tags: readOr<readonly string[]>(tags ?? '[]', []) };
}

/** A project's rule applies to that project alone. */
function isOf({ project }: StoredRule, alert: Unrouted): boolean {
  return project === EVERYWHERE || project === alert.project;
}

/** Adds alerts to the open group of a rule and key, or opens one. */
function* join(
  { project, rule }: StoredRule,
  key: string,
  alerts: readonly Unrouted[],
  now: number,
): Operation<void> {
  const [id] = yield* newNumbers(1);
  const group = yield* row<{ id: number }>(
    `INSERT INTO alert_group (id, project, rule, key, state, first_at, last_at, count, told, told_at, escalated, due)
     VALUES (?1, ?2, ?3, ?4, 'pending', ?5, ?5, ?6, 0, NULL, 0, ?7)
     ON CONFLICT (project, rule, key) WHERE state <> 'over'
       DO UPDATE SET last_at = excluded.last_at, count = alert_group.count + excluded.count RETURNING id`,
    id,
    project,
    rule.name,
    key,
    now,
    alerts.length,
    now + rule.delay,
  );
  const last = new Map(
    alerts.map((alert) => [JSON.stringify([alert.kind, alert.project, alert.name]), alert]),
  );
  yield* insert(
    alertSubjectTable,
    [...last.values()].map(({ id: alert, at, kind, project: of, name, workflow, run, text, from, to }) => ({
      group_id: group?.id ?? id,
      kind,
      project: of,
      name,
      workflow,
      alert,
      at,
      run,
      text,
      from_time: from,
      to_time: to,
    })),
    `(group_id, kind, project, name) DO UPDATE SET alert = excluded.alert, at = excluded.at, run = excluded.run,
       text = excluded.text, from_time = excluded.from_time, to_time = excluded.to_time`,
  );
}

/** Acknowledges a group: it is no longer repeated or escalated. False if it is over or does not exist. */
export function* acknowledgeAlert(input: {
  readonly id: number;
  readonly by: string;
  readonly now: number;
}): Operation<boolean> {
  const { id, by, now } = input;
  const changed = yield* change(
    `UPDATE alert_group SET ack_by = ?2, ack_at = ?3 WHERE id = ?1 AND state <> 'over' AND ack_by IS NULL`,
    id,
    by,
    now,
  );
  if (changed > 0) yield* audit(by, 'alert.acknowledge', String(id), {}, now);
  return changed > 0;
}
