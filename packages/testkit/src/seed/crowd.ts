/**
 * What people set up, in great number: the seed `furnished` with copies of its workers, groups, tokens, alerts and the
 * rest, and a backfill of thousands of business times. Written straight into the tables, since to play it takes hours;
 * columns that are not known here are copied as they are.
 */
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { seedFurnished } from './furnished.ts';

/** How many there are of each thing. */
export interface CrowdSizes {
  readonly workers: number;
  /** Task groups, tokens, connections, environments, projects, tenants and backfills, each. */
  readonly things: number;
  /** Attempts that wait for a slot of one task group. */
  readonly waiting: number;
  /** Alerts, and messages about them. */
  readonly alerts: number;
  /** Business times of one backfill, all of them run. */
  readonly times: number;
}

/** More than a page shows at once, and what the checklist of the console calls huge. */
export const crowdSizes: CrowdSizes = {
  workers: 500,
  things: 1_000,
  waiting: 2_000,
  alerts: 3_000,
  times: 3_000,
};

type Row = Record<string, SQLInputValue>;

const HOUR = 3_600_000;
/** Far above the ids of the play. */
const FIRST = 1_000_000;

/** What a copy is called. */
function crowdName(kind: string, k: number): string {
  return `${kind}-${String(k).padStart(4, '0')}`;
}

/** Fills a folder that has no database yet; the moment at which it stands, and the backfill of many times. */
export async function seedCrowd(
  folder: string,
  { workers, things, waiting, alerts, times }: CrowdSizes = crowdSizes,
): Promise<{ now: number; backfill: number }> {
  const now = await seedFurnished(folder);
  const db = new DatabaseSync(join(folder, 'orrery.db'));
  db.exec('PRAGMA foreign_keys = OFF; BEGIN');
  const one = (table: string, where: string) =>
    db.prepare(`SELECT * FROM ${table} WHERE ${where} LIMIT 1`).get() as Row;
  const copy = (table: string, where: string, count: number, change: (k: number) => Row) => {
    const row = one(table, where);
    const columns = Object.keys(row);
    const insert = db.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (let k = 0; k < count; k++) insert.run(...Object.values({ ...row, ...change(k) }));
  };
  copy('worker', "id = 'w1'", workers, (k) => ({
    id: crowdName('worker', k),
    groups: JSON.stringify([crowdName('pool', k % 20)]),
    // One in fifty drains, and stands first.
    draining: Number(k % 50 === 49),
    slots: 8 + (k % 3) * 4,
  }));
  copy('limit_size', "name = 'task group etl/warehouse'", things, (k) => ({
    name: `task group etl/${crowdName('group', k)}`,
    held: k % 3,
  }));
  copy('limit_wait', "name = 'task group etl/warehouse'", waiting, (k) => ({
    seq: FIRST + k,
    number: k + 2,
  }));
  copy('token', "name = 'ci'", things, (k) => ({
    id: FIRST + k,
    hash: crowdName('hash', k),
    name: crowdName('robot', k),
  }));
  copy('connection', "name = 'warehouse'", things, (k) => ({ name: crowdName('database', k) }));
  copy('environment', "name = 'prod'", things, (k) => ({ name: crowdName('site', k) }));
  copy('project', "name = 'etl'", things, (k) => ({ name: crowdName('team', k) }));
  copy('alert_rule', "name = 'failures'", things, (k) => {
    const name = crowdName('rule', k);
    return {
      name,
      body: String(one('alert_rule', "name = 'failures'").body).replace('"failures"', `"${name}"`),
    };
  });
  copy('alert_channel', "name = 'ops'", things, (k) => ({ name: crowdName('room', k) }));
  copy('alert_mute', "project = 'crm'", things, (k) => ({ id: FIRST + k, reason: crowdName('repair', k) }));
  copy('alert_group', "state = 'over'", alerts, (k) => ({
    id: FIRST + k,
    state: 'firing',
    key: crowdName('key', k),
  }));
  copy('alert_subject', '1 = 1', alerts, (k) => ({ group_id: FIRST + k, name: crowdName('orders', k) }));
  copy('delivery', '1 = 1', alerts, (k) => ({
    id: FIRST + k,
    state: 'sent',
    ended_at: now,
    answer: '200 ok',
  }));
  const of = "kind = 'backfill'";
  const {
    id,
    business_time: since,
    fields,
    request: asked,
  } = one('run', of) as Record<'id' | 'business_time', number> & Record<'fields' | 'request', string>;
  const ended = (state: 'success' | 'failed') => ({
    state,
    standing: state === 'failed' ? 2 : 1,
    ended_at: now,
    fields: JSON.stringify({ ...JSON.parse(fields), state }),
  });
  copy('run', of, things, (k) => ({ id: FIRST + k, ...ended('success') }));
  const backfill = FIRST + things;
  const first = since - times * HOUR;
  const request = JSON.parse(asked);
  request.id = backfill;
  request.backfill.times = [[first, HOUR, times]];
  const failed = Array.from({ length: Math.floor(times / 100) }, (_, k) => k * 100 + 99);
  copy('run', of, 1, () => ({ id: backfill, ...ended('failed'), request: JSON.stringify(request) }));
  copy('task_run', `run = ${id}`, 1, () => {
    const body = JSON.parse(String(one('task_run', `run = ${id}`).body));
    const series = {
      ...body.series,
      total: times,
      next: times,
      open: [],
      failed,
      succeeded: times - failed.length,
    };
    return { run: backfill, state: 'failed', body: JSON.stringify({ ...body, series }) };
  });
  copy('run', `parent = ${id} AND state = 'success'`, times, (k) => ({
    id: backfill + 1 + k,
    parent: backfill,
    parent_element: k,
    ...ended(k % 100 === 99 ? 'failed' : 'success'),
    business_time: first + k * HOUR,
  }));
  db.prepare('UPDATE numbers SET value = ?').run(backfill + times + 1);
  db.exec('COMMIT; ANALYZE');
  db.close();
  return { now, backfill };
}
