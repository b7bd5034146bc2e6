/** Alerting rules, channels and mutes. Those for all projects have the project `*`. */
import { type AlertMatch, type AlertRule, isChosen } from '@orrery/core/alert';
import { change, type Operation, row, rows } from '../../operation.ts';
import { readOr } from '../../stored.ts';
import { audit } from '../access/audit.ts';
import { changedNames } from '../runs/given-parameters.ts';
import { newNumbers } from '../runs/numbers.ts';

/** Stands for all projects. */
export const EVERYWHERE = '*';

/** A rule and its project. */
export interface StoredRule {
  readonly project: string;
  readonly rule: AlertRule;
  readonly changedAt: number;
}

/** A channel: the destination of messages. Its settings name secrets but contain none. */
export interface StoredChannel {
  readonly project: string;
  readonly name: string;
  readonly kind: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Why it is disabled; null while it is in use. */
  readonly disabled: string | null;
  readonly changedAt: number;
}

/** A mute: matching alerts are not sent until a time. */
export interface StoredMute {
  readonly id: number;
  readonly project: string;
  readonly match: AlertMatch;
  readonly until: number;
  readonly reason: string;
  readonly actor: string;
  readonly at: number;
}

interface By {
  readonly by: string;
  readonly now: number;
}

/** Creates or replaces a rule. Its open groups are processed again: its delay or quiet hours may have changed. */
export function* setAlertRule(
  input: { readonly project: string; readonly rule: AlertRule } & By,
): Operation<void> {
  const { project, rule, by, now } = input;
  const chosen = rule.enabled ? (rule.match.kinds ?? []).filter(isChosen) : [];
  const before = yield* row<{ body: string }>(
    'SELECT body FROM alert_rule WHERE project = ?1 AND name = ?2',
    project,
    rule.name,
  );
  yield* change(
    `INSERT INTO alert_rule (project, name, body, chosen, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (project, name) DO UPDATE SET body = excluded.body, chosen = excluded.chosen,
       changed_at = excluded.changed_at`,
    project,
    rule.name,
    JSON.stringify(rule),
    `,${chosen.join(',')},`,
    now,
  );
  yield* change(
    `UPDATE alert_group SET due = ?3 WHERE project = ?1 AND rule = ?2 AND state <> 'over' AND due > ?3`,
    project,
    rule.name,
    now,
  );
  yield* audit(
    by,
    'alert-rule.set',
    `${project}/${rule.name}`,
    { before: before ? JSON.parse(before.body) : null, after: rule },
    now,
  );
}

/** Deletes a rule and closes its open groups. False if it does not exist. */
export function* deleteAlertRule(
  input: { readonly project: string; readonly name: string } & By,
): Operation<boolean> {
  const { project, name, by, now } = input;
  const gone = yield* row<{ body: string }>(
    'DELETE FROM alert_rule WHERE project = ?1 AND name = ?2 RETURNING body',
    project,
    name,
  );
  if (!gone) return false;
  yield* change(
    `UPDATE alert_group SET state = 'over', due = NULL WHERE project = ?1 AND rule = ?2 AND state <> 'over'`,
    project,
    name,
  );
  yield* audit(by, 'alert-rule.delete', `${project}/${name}`, { before: readOr<object>(gone.body, {}) }, now);
  return true;
}

/** Rules by project and name, of some projects or all. */
export function* listAlertRules(): Operation<StoredRule[]> {
  const found = yield* rows<{ project: string; body: string; changedAt: number }>(
    'SELECT project, body, changed_at AS "changedAt" FROM alert_rule ORDER BY project, name',
  );
  return found.map(({ project, body, changedAt }) => ({ project, rule: JSON.parse(body), changedAt }));
}

/** Creates or replaces a channel, and enables it. */
export function* setAlertChannel(
  input: Pick<StoredChannel, 'project' | 'name' | 'kind' | 'settings'> & By,
): Operation<void> {
  const { project, name, kind, settings, by, now } = input;
  const before = yield* row<{ kind: string; body: string }>(
    'SELECT kind, body FROM alert_channel WHERE project = ?1 AND name = ?2',
    project,
    name,
  );
  yield* change(
    `INSERT INTO alert_channel (project, name, kind, body, disabled, changed_at) VALUES (?1, ?2, ?3, ?4, NULL, ?5)
     ON CONFLICT (project, name) DO UPDATE SET kind = excluded.kind, body = excluded.body, disabled = NULL,
       changed_at = excluded.changed_at`,
    project,
    name,
    kind,
    JSON.stringify(settings),
    now,
  );
  // Audits only the names of settings: some values are secret.
  const changed = changedNames(before ? JSON.parse(before.body) : {}, settings);
  const kinds = { before: before?.kind ?? null, after: kind };
  yield* audit(by, 'alert-channel.set', `${project}/${name}`, { ...kinds, changed }, now);
}

/** Deletes a channel; its waiting messages fail with that reason. False if it does not exist. */
export function* deleteAlertChannel(
  input: { readonly project: string; readonly name: string } & By,
): Operation<boolean> {
  const { project, name, by, now } = input;
  const gone = yield* row<{ kind: string }>(
    'DELETE FROM alert_channel WHERE project = ?1 AND name = ?2 RETURNING kind',
    project,
    name,
  );
  if (gone) yield* audit(by, 'alert-channel.delete', `${project}/${name}`, { before: gone.kind }, now);
  return gone !== undefined;
}

/** Sets the channels and rules of a file, all or none. */
export function* applyAlerts(
  input: {
    readonly channels: readonly Pick<StoredChannel, 'project' | 'name' | 'kind' | 'settings'>[];
    readonly rules: readonly Pick<StoredRule, 'project' | 'rule'>[];
  } & By,
): Operation<void> {
  const { channels, rules, by, now } = input;
  for (const channel of channels) yield* setAlertChannel({ ...channel, by, now });
  for (const rule of rules) yield* setAlertRule({ ...rule, by, now });
}

/** All channels, by project and name. */
export function* listAlertChannels(): Operation<StoredChannel[]> {
  const found = yield* rows<Omit<StoredChannel, 'settings'> & { body: string }>(
    `SELECT project, name, kind, body, disabled, changed_at AS "changedAt" FROM alert_channel ORDER BY project, name`,
  );
  return found.map(({ body, ...channel }) => ({ ...channel, settings: readOr(body, {}) }));
}

/** Mutes matching alerts until a time; returns the mute's id. */
export function* setAlertMute(
  input: Pick<StoredMute, 'project' | 'match' | 'until' | 'reason'> & By,
): Operation<number> {
  const { project, match, until, reason, by, now } = input;
  const [id] = yield* newNumbers(1);
  yield* change(
    'INSERT INTO alert_mute (id, project, match, until, reason, actor, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)',
    id,
    project,
    JSON.stringify(match),
    until,
    reason,
    by,
    now,
  );
  yield* audit(by, 'alert-mute.set', String(id), { until, reason, match: JSON.stringify(match) }, now);
  return id;
}

/** Ends a mute now; alerts it held back are processed again. False if it does not exist in this project. */
export function* endAlertMute(
  input: { readonly id: number; readonly project?: string } & By,
): Operation<boolean> {
  const { id, project, by, now } = input;
  const found = yield* row<{ project: string }>('SELECT project FROM alert_mute WHERE id = ?1', id);
  if (!found || (project !== undefined && found.project !== project)) return false;
  yield* change('DELETE FROM alert_mute WHERE id = ?1', id);
  yield* change('UPDATE alert_group SET due = ?1 WHERE due > ?1', now);
  yield* audit(by, 'alert-mute.end', String(id), {}, now);
  return true;
}

/** Mutes that have not ended. */
export function* listAlertMutes({ now }: { readonly now: number }): Operation<StoredMute[]> {
  const found = yield* rows<Omit<StoredMute, 'match'> & { match: string }>(
    'SELECT id, project, match, until, reason, actor, at FROM alert_mute WHERE until > ?1 ORDER BY id',
    now,
  );
  return found.map((mute) => ({ ...mute, match: readOr(mute.match, {} as AlertMatch) }));
}
