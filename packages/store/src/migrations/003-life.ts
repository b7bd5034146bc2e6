/** What counts as a run, waits and health, ticks by the store's clock, and the life of nodes. */
import type { Migration } from '../migrate.ts';
import type { Text } from '../operation.ts';

/** What a run counts for, and how long its rounds took. */
const results: readonly Text[] = [
  'ALTER TABLE run ADD COLUMN counts BIGINT NOT NULL DEFAULT 1',
  // The time between its rounds, in milliseconds: what it took is the rest.
  'ALTER TABLE run ADD COLUMN idle BIGINT NOT NULL DEFAULT 0',
  'ALTER TABLE fact ADD COLUMN counts BIGINT NOT NULL DEFAULT 1',
];

/** Who waits for what. */
const waits: readonly Text[] = [
  // A paused waiter keeps its place and lets others pass.
  'ALTER TABLE limit_wait ADD COLUMN paused BIGINT NOT NULL DEFAULT 0',
  // Which business times of a workflow have an open run.
  'CREATE INDEX run_open_of ON run (workflow, business_time) WHERE standing = 0',
  // The run that had a business time last, of workflows that allow one open run for each.
  `CREATE TABLE period (
    workflow BIGINT NOT NULL, business_time BIGINT NOT NULL, run BIGINT NOT NULL, PRIMARY KEY (workflow, business_time))`,
  'CREATE INDEX period_run ON period (run)',
  // Whose child a command will be: known also where its body cannot be read.
  ...['parent', 'parent_task', 'parent_round', 'parent_element'].map(
    (column) => `ALTER TABLE command ADD COLUMN ${column} BIGINT`,
  ),
  {
    sqlite: `UPDATE command SET parent = body ->> '$.parent.run', parent_task = body ->> '$.parent.task',
      parent_round = body ->> '$.parent.round', parent_element = body ->> '$.parent.element'
      WHERE body LIKE '%"parent":{"run":%' AND json_valid(body)`,
    postgres: `UPDATE command c SET parent = p[1]::int8, parent_task = p[2]::int8, parent_round = p[3]::int8,
      parent_element = p[4]::int8 FROM (SELECT seq, regexp_match(body,
        '"parent":\\{"run":(\\d+),"task":(\\d+),"round":(\\d+),"element":(\\d+)\\}') AS p FROM command) k
      WHERE k.seq = c.seq AND k.p IS NOT NULL`,
  },
  'CREATE INDEX command_child ON command (parent, parent_task) WHERE parent IS NOT NULL',
];

/** Schedules as masters keep them in memory. */
const ticks: readonly Text[] = [
  // Pages of due schedules go on where the one before ended, also within one due time.
  'DROP INDEX schedule_due',
  'CREATE INDEX schedule_due ON schedule (next_due, id) WHERE enabled = 1 AND next_due IS NOT NULL',
  // Which schedules were edited since a master last looked. Not a column of the schedule: each tick would pay for its index.
  'CREATE TABLE schedule_edit (schedule BIGINT PRIMARY KEY, revision BIGINT NOT NULL)',
  'CREATE INDEX schedule_edit_revision ON schedule_edit (revision)',
  // What a node measured of its own clock: its distance from the store's, and why it does not trust it.
  'ALTER TABLE node ADD COLUMN clock_offset BIGINT',
  'ALTER TABLE node ADD COLUMN clock_fault TEXT',
];

/** Nodes that pause, drain and hand over. */
const nodes: readonly Text[] = [
  // What people ask of it: to drain, and when it hands over the runs that are left then.
  'ALTER TABLE node ADD COLUMN draining BIGINT NOT NULL DEFAULT 0',
  'ALTER TABLE node ADD COLUMN drain_by BIGINT',
  // What it says of itself with each beat.
  `ALTER TABLE node ADD COLUMN state TEXT NOT NULL DEFAULT 'acting'`,
  'ALTER TABLE node ADD COLUMN reason TEXT',
];

/** Health of nodes, and generations of the database. */
const health: readonly Text[] = [
  // Why a worker takes no work, and since when; null while it is healthy.
  'ALTER TABLE worker ADD COLUMN unhealthy TEXT',
  'ALTER TABLE worker ADD COLUMN unhealthy_since BIGINT',
  'CREATE TABLE generation (number BIGINT NOT NULL)',
  'INSERT INTO generation VALUES (0)',
];

export const life: Migration = {
  number: 3,
  name: 'life',
  statements: [...results, ...waits, ...ticks, ...nodes, ...health],
};
