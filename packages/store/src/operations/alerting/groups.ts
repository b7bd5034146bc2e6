/**
 * Groups of alerts that are due: one transaction decides what to send about each and writes it as deliveries.
 * Only one master processes a group at a time.
 */
import { type AlertKind, alertKinds, decideGroup, type MessageReason, matches } from '@orrery/core/alert';
import { shouldAlarm } from '@orrery/core/balance';
import { batch, type Operation, rows } from '../../operation.ts';
import { insert, unnest } from '../../table.ts';
import { deliveryTable } from '../../tables.ts';
import { readHoldings } from '../cluster/holdings.ts';
import { checkSelf, type Self } from '../cluster/self.ts';
import { newNumbers } from '../runs/numbers.ts';
import { tagsOf } from './alerts.ts';
import { eventOf } from './route.ts';
import { EVERYWHERE, listAlertMutes, listAlertRules, type StoredMute } from './settings.ts';

/** Limit of things named in a message. */
const MOST_NAMED = 10;

interface GroupRow {
  readonly id: number;
  readonly project: string;
  readonly rule: string;
  readonly state: 'pending' | 'firing';
  readonly firstAt: number;
  readonly count: number;
  readonly told: number;
  readonly toldAt: number | null;
  readonly escalated: number;
  readonly ackBy: string | null;
}

/** Subject of a group. */
export interface AlertSubject {
  readonly kind: AlertKind;
  readonly project: string;
  readonly name: string;
  readonly run: number | null;
  readonly text: string;
  readonly at: number;
}

type SubjectRow = AlertSubject & {
  readonly groupId: number;
  readonly isOpen: number;
  /** Tags of its workflow, as JSON. */
  readonly tags: string | null;
};

/** A message as stored until it is delivered. */
export interface AlertMessage {
  readonly group: number;
  readonly rule: string;
  readonly reason: MessageReason | 'test';
  readonly since: number;
  /** Number of alerts in the group so far. */
  readonly count: number;
  readonly subjects: readonly AlertSubject[];
}

const columns = `id, project, rule, state, first_at AS "firstAt", count, told, told_at AS "toldAt", escalated,
  ack_by AS "ackBy"`;

/** SQL: whether the cause of an alert still holds. A workflow that was deleted since will not succeed any more. */
const stillSo = `CASE
    WHEN s.kind IN ('run-failed', 'deadline') AND EXISTS (
      SELECT 1 FROM workflow w WHERE w.id = s.workflow AND w.deleted_at >= s.at) THEN FALSE
    WHEN s.kind = 'run-failed' THEN NOT EXISTS (SELECT 1 FROM fact f WHERE f.workflow = s.workflow AND f.counts = 1
      AND f.state = 'success' AND f.business_time >= s.from_time AND f.ended_at >= s.at)
    WHEN s.kind = 'deadline' THEN NOT EXISTS (SELECT 1 FROM fact f WHERE f.workflow = s.workflow AND f.counts = 1
      AND f.state = 'success' AND f.business_time >= s.from_time AND f.business_time < s.to_time)
    WHEN s.kind IN ('run-timeout', 'task-timeout') THEN EXISTS (
      SELECT 1 FROM run r WHERE r.id = s.run AND r.standing = 0)
    WHEN s.kind = 'approval-waiting' THEN EXISTS (
      SELECT 1 FROM approval p WHERE p.run = s.run AND p.task = s.from_time AND p.answered_by IS NULL)
    WHEN s.kind = 'master-lost' THEN EXISTS (SELECT 1 FROM node n WHERE n.id = s.name AND n.fenced = 1)
    WHEN s.kind = 'worker-lost' THEN EXISTS (SELECT 1 FROM worker w WHERE w.id = s.name AND w.lost = 1)
    WHEN s.kind = 'worker-unhealthy' THEN EXISTS (
      SELECT 1 FROM worker w WHERE w.id = s.name AND w.lost = 0 AND w.unhealthy IS NOT NULL)
    WHEN s.kind IN ('no-worker', 'disk', 'retention') THEN EXISTS (
      SELECT 1 FROM alert_condition c WHERE c.kind = s.kind AND c.name = s.name)
    WHEN s.kind = 'claim-alarm' THEN EXISTS (SELECT 1 FROM holding h WHERE h.holder = s.name)
    ELSE FALSE END`;

/** Processes due groups; returns the number of groups and of messages written. */
export function* passAlertGroups(input: {
  readonly self: Self;
  readonly limit: number;
  readonly now: number;
}): Operation<{ passed: number; written: number }> {
  const { self, limit, now } = input;
  yield* checkSelf(self);
  const due = `SELECT ${columns} FROM alert_group WHERE due <= ?1 ORDER BY due LIMIT ?2`;
  const groups = yield* rows<GroupRow>(
    { sqlite: due, postgres: `${due} FOR UPDATE SKIP LOCKED` },
    now,
    limit,
  );
  if (groups.length === 0) return { passed: 0, written: 0 };
  const rules = new Map(
    (yield* listAlertRules()).map((one) => [`${one.project}/${one.rule.name}`, one.rule]),
  );
  const mutes = yield* listAlertMutes({ now });
  const found = yield* withAlarms(yield* subjectsOf(groups));
  const subjects = Map.groupBy(found, ({ groupId }) => groupId);
  const updates: (string | number | null)[][] = [];
  const messages: { group: GroupRow; channel: string; message: AlertMessage }[] = [];
  for (const group of groups) {
    const rule = rules.get(`${group.project}/${group.rule}`);
    const about = subjects.get(group.id) ?? [];
    const decision = rule?.enabled
      ? decideGroup(
          { ...group, escalated: group.escalated === 1, acknowledged: group.ackBy !== null },
          rule,
          {
            now,
            trouble: troubleOf(about),
            mutedUntil: mutedUntil(group, about, mutes),
          },
        )
      : { state: 'over' as const, due: null, send: undefined };
    const { send } = decision;
    const escalated = send?.reason === 'escalate' ? 1 : group.escalated;
    const told = send ? [group.count, now] : [group.told, group.toldAt];
    updates.push([group.id, decision.state, decision.due, escalated, ...told]);
    for (const channel of send?.channels ?? [])
      messages.push({ group, channel, message: messageOf(group, send?.reason ?? 'new', about) });
  }
  yield* batch(
    {
      sqlite: `UPDATE alert_group SET state = ?2, due = ?3, escalated = ?4, told = ?5, told_at = ?6 WHERE id = ?1`,
      postgres: `UPDATE alert_group SET state = k.state, due = k.due, escalated = k.escalated, told = k.told,
        told_at = k.told_at FROM ${unnest(updateTypes)} AS k(id, state, due, escalated, told, told_at)
        WHERE alert_group.id = k.id`,
    },
    updateTypes,
    updates,
  );
  yield* writeDeliveries(
    messages.map(({ group, channel, message }) => ({ project: group.project, channel, message })),
    now,
  );
  return { passed: groups.length, written: messages.length };
}

const updateTypes = ['int', 'text', 'int', 'int', 'int', 'int'] as const;

/** Writes messages to channels, within another operation. */
export function* writeDeliveries(
  list: readonly { readonly project: string; readonly channel: string; readonly message: AlertMessage }[],
  now: number,
): Operation<number[]> {
  const ids = yield* newNumbers(list.length);
  yield* insert(
    deliveryTable,
    list.map(({ project, channel, message }, k) => ({
      id: ids[k],
      group_id: message.group || null,
      project,
      channel,
      body: JSON.stringify(message),
      state: 'waiting',
      created_at: now,
      tries: 0,
      next_try: now,
      lease_by: null,
      doubled: 0,
      ended_at: null,
      answer: null,
    })),
  );
  return ids;
}

function* subjectsOf(groups: readonly { readonly id: number }[]): Operation<readonly SubjectRow[]> {
  const select = `SELECT s.group_id AS "groupId", s.kind, s.project, s.name, s.run, s.text, s.at,
    CASE WHEN ${stillSo} THEN 1 ELSE 0 END AS "isOpen", ${tagsOf('s')} AS tags FROM alert_subject s`;
  const { rows: found } = yield* batch<SubjectRow>(
    {
      sqlite: `${select} WHERE s.group_id = ?1 ORDER BY s.alert DESC`,
      postgres: `${select} JOIN ${unnest(['int'])} AS k(id) ON s.group_id = k.id ORDER BY s.alert DESC`,
    },
    ['int'],
    groups.map(({ id }) => [id]),
  );
  return found;
}

/** Adds whether masters still hold more schedules than their alarm thresholds, which are settings. */
function* withAlarms(subjects: readonly SubjectRow[]): Operation<readonly SubjectRow[]> {
  if (!subjects.some(({ kind, isOpen }) => kind === 'claim-alarm' && isOpen === 1)) return subjects;
  const { view } = yield* readHoldings();
  const alarms = (name: string) =>
    view.masters.some((one) => one.name === name) && shouldAlarm(view, name).yes;
  return subjects.map((subject) =>
    subject.kind === 'claim-alarm' && !alarms(subject.name) ? { ...subject, isOpen: 0 } : subject,
  );
}

function troubleOf(subjects: readonly SubjectRow[]): 'open' | 'ended' | 'moment' {
  if (subjects.some(({ isOpen }) => isOpen === 1)) return 'open';
  return subjects.some(({ kind }) => alertKinds[kind]?.lasts) ? 'ended' : 'moment';
}

/** A group is muted while all its subjects are. */
function mutedUntil(
  { project }: GroupRow,
  subjects: readonly SubjectRow[],
  mutes: readonly StoredMute[],
): number | undefined {
  const ends = subjects.map((subject) =>
    mutes
      .filter((mute) => mute.project === EVERYWHERE || mute.project === project)
      .filter(({ match }) => matches(match, eventOf(subject)))
      .reduce((end, { until }) => Math.max(end, until), 0),
  );
  const end = Math.min(...ends);
  return ends.length > 0 && end > 0 ? end : undefined;
}

function subjectOf({ kind, project, name, run, text, at }: SubjectRow): AlertSubject {
  return { kind, project, name, run, text, at };
}

function messageOf(
  { id, rule, firstAt, count }: GroupRow,
  reason: MessageReason,
  subjects: readonly SubjectRow[],
): AlertMessage {
  const named = subjects.slice(0, MOST_NAMED).map(subjectOf);
  return { group: id, rule, reason, since: firstAt, count, subjects: named };
}

/** A group as shown to people. */
export interface AlertGroupRow {
  readonly id: number;
  readonly project: string;
  readonly rule: string;
  readonly state: 'pending' | 'firing' | 'over';
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
  readonly toldAt: number | null;
  readonly ackBy: string | null;
  readonly ackAt: number | null;
  readonly subjects: readonly AlertSubject[];
}

/** Groups, newest first; `open` leaves out those that are over. */
export function* listAlertGroups(input: {
  readonly open?: boolean;
  readonly projects?: readonly string[];
  readonly before?: number;
  readonly limit: number;
}): Operation<AlertGroupRow[]> {
  const { open = false, projects, before = Number.MAX_SAFE_INTEGER, limit } = input;
  const of = projects ? `AND project IN (${projects.map((_, k) => `?${k + 3}`).join(', ') || "''"})` : '';
  const groups = yield* rows<Omit<AlertGroupRow, 'subjects'>>(
    `SELECT id, project, rule, state, first_at AS "firstAt", last_at AS "lastAt", count, told_at AS "toldAt",
       ack_by AS "ackBy", ack_at AS "ackAt" FROM alert_group
     WHERE id < ?1 ${open ? "AND state <> 'over'" : ''} ${of} ORDER BY id DESC LIMIT ?2`,
    before,
    limit,
    ...(projects ?? []),
  );
  const subjects = Map.groupBy(yield* subjectsOf(groups), ({ groupId }) => groupId);
  return groups.map((group) => ({
    ...group,
    subjects: (subjects.get(group.id) ?? []).map(subjectOf),
  }));
}
