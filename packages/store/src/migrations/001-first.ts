/** The first schema. Times are epoch milliseconds, ids below 2^53, booleans 0 and 1, JSON is text. */
import type { Migration } from '../migrate.ts';
import type { Text } from '../operation.ts';

export const first: Migration = {
  number: 1,
  name: 'first',
  statements: [
    // One order for everything that needs one: ids of workflows, schedules and runs.
    { sqlite: 'CREATE TABLE numbers (value INTEGER NOT NULL)', postgres: 'CREATE SEQUENCE numbers' },
    { sqlite: 'INSERT INTO numbers VALUES (0)', postgres: 'SELECT 1' },

    `CREATE TABLE node (
      id TEXT PRIMARY KEY, roles TEXT NOT NULL, address TEXT NOT NULL, epoch BIGINT NOT NULL, fenced BIGINT NOT NULL,
      beat BIGINT NOT NULL, beat_at BIGINT NOT NULL, joined_at BIGINT NOT NULL, info TEXT NOT NULL)`,
    `CREATE TABLE worker (
      id TEXT PRIMARY KEY, address TEXT NOT NULL, epoch BIGINT NOT NULL, lost BIGINT NOT NULL, take BIGINT NOT NULL,
      beat BIGINT NOT NULL, beat_at BIGINT NOT NULL, joined_at BIGINT NOT NULL, slots BIGINT NOT NULL,
      groups TEXT NOT NULL, draining BIGINT NOT NULL, load TEXT NOT NULL, task_types TEXT NOT NULL)`,

    `CREATE TABLE project (
      name TEXT PRIMARY KEY, params TEXT NOT NULL, revision BIGINT NOT NULL, created_at BIGINT NOT NULL)`,
    // What is set up for all projects together.
    `CREATE TABLE cluster_setting (name TEXT PRIMARY KEY, body TEXT NOT NULL, revision BIGINT NOT NULL)`,
    `CREATE TABLE workflow (
      id BIGINT PRIMARY KEY, project TEXT NOT NULL, name TEXT NOT NULL, live BIGINT, deleted_at BIGINT,
      created_at BIGINT NOT NULL, UNIQUE (project, name))`,
    keyed(
      'workflow_version',
      `workflow BIGINT NOT NULL, version BIGINT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, source TEXT NOT NULL,
      note TEXT NOT NULL, author TEXT NOT NULL, origin TEXT NOT NULL, created_at BIGINT NOT NULL`,
      'workflow, version',
    ),
    `CREATE INDEX workflow_version_age ON workflow_version (created_at)`,
    // What the live version of each workflow starts or awaits.
    keyed(
      'workflow_use',
      'project TEXT NOT NULL, name TEXT NOT NULL, workflow BIGINT NOT NULL, used_as TEXT NOT NULL',
      'project, name, workflow, used_as',
    ),
    `CREATE INDEX workflow_use_of ON workflow_use (workflow)`,
    `CREATE INDEX workflow_use_trigger ON workflow_use (project, name) WHERE used_as = 'trigger'`,
    // Rounds that ended, until each workflow whose triggers may hear of it has.
    keyed(
      'trigger_due',
      `workflow BIGINT NOT NULL, run BIGINT NOT NULL, round BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      state TEXT NOT NULL, business_time BIGINT NOT NULL, outputs TEXT NOT NULL, chain BIGINT NOT NULL,
      created_at BIGINT NOT NULL`,
      'workflow, run, round',
    ),
    `CREATE TABLE deadline (workflow BIGINT PRIMARY KEY, body TEXT NOT NULL, due BIGINT NOT NULL)`,
    `CREATE INDEX deadline_due ON deadline (due)`,
    // What people should hear of: rare, and kept as long as history.
    numbered(
      'alert',
      'id',
      `at BIGINT NOT NULL, kind TEXT NOT NULL, workflow BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      run BIGINT, text TEXT NOT NULL, from_time BIGINT, to_time BIGINT`,
    ),
    `CREATE INDEX alert_age ON alert (at)`,
    // What a trigger has heard of since it last started a run.
    keyed(
      'trigger_mark',
      `workflow BIGINT NOT NULL, name TEXT NOT NULL, on_project TEXT NOT NULL, on_name TEXT NOT NULL, run BIGINT NOT NULL,
      outputs TEXT NOT NULL, marked_at BIGINT NOT NULL`,
      'workflow, name, on_project, on_name',
    ),
    // What else it needs: environments and task groups.
    keyed(
      'workflow_need',
      'kind TEXT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL, workflow BIGINT NOT NULL',
      'kind, project, name, workflow',
    ),
    `CREATE INDEX workflow_need_of ON workflow_need (workflow)`,
    `CREATE TABLE environment (
      name TEXT PRIMARY KEY, body TEXT NOT NULL, revision BIGINT NOT NULL, changed_at BIGINT NOT NULL)`,
    `CREATE TABLE draft (
      workflow BIGINT PRIMARY KEY, body TEXT NOT NULL, base BIGINT, revision BIGINT NOT NULL, author TEXT NOT NULL,
      saved_at BIGINT NOT NULL)`,

    `CREATE TABLE schedule (
      id BIGINT PRIMARY KEY, workflow BIGINT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, enabled BIGINT NOT NULL,
      version BIGINT NOT NULL, fired_until BIGINT NOT NULL, next_due BIGINT, holder TEXT, holder_epoch BIGINT,
      UNIQUE (workflow, name))`,
    `CREATE INDEX schedule_due ON schedule (next_due) WHERE enabled = 1 AND next_due IS NOT NULL`,
    keyed(
      'tick',
      'schedule BIGINT NOT NULL, due BIGINT NOT NULL, fired_at BIGINT NOT NULL, run BIGINT NOT NULL',
      'schedule, due',
    ),
    `CREATE INDEX tick_due ON tick (due, schedule)`,
    keyed(
      'tick_skip',
      `schedule BIGINT NOT NULL, first_due BIGINT NOT NULL, last_due BIGINT NOT NULL, count BIGINT NOT NULL,
      reason TEXT NOT NULL, recorded_at BIGINT NOT NULL`,
      'schedule, first_due',
    ),
    `CREATE INDEX tick_skip_due ON tick_skip (first_due, schedule)`,
    `CREATE INDEX tick_skip_age ON tick_skip (recorded_at)`,

    // Its seq is the id of the run it will become. Limited: it must be admitted, in the order of its workflow.
    numbered(
      'command',
      'seq',
      `priority BIGINT NOT NULL, workflow BIGINT NOT NULL, limited BIGINT NOT NULL,
      replay_of BIGINT, body TEXT NOT NULL, created_at BIGINT NOT NULL`,
    ),
    `CREATE INDEX command_order ON command (priority, seq)`,
    `CREATE INDEX command_limited ON command (workflow, seq) WHERE limited = 1`,
    `CREATE INDEX command_replay ON command (replay_of, seq) WHERE replay_of IS NOT NULL`,
    `CREATE TABLE idempotency (key TEXT PRIMARY KEY, answer TEXT NOT NULL, created_at BIGINT NOT NULL)`,
    `CREATE INDEX idempotency_age ON idempotency (created_at)`,

    numbered(
      'run',
      'id',
      `workflow BIGINT NOT NULL, version BIGINT NOT NULL, project TEXT NOT NULL, name TEXT NOT NULL,
      kind TEXT NOT NULL, trigger_kind TEXT NOT NULL, state TEXT NOT NULL, priority BIGINT NOT NULL, owner TEXT,
      owner_epoch BIGINT, request TEXT NOT NULL, fields TEXT NOT NULL, revision BIGINT NOT NULL,
      business_time BIGINT NOT NULL, parent BIGINT, parent_task BIGINT, parent_round BIGINT, parent_element BIGINT,
      replay_of BIGINT, created_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT, standing BIGINT NOT NULL,
      tags TEXT, error TEXT, fingerprint TEXT, outputs TEXT`,
    ),
    `CREATE INDEX run_by_workflow ON run (workflow, id)`,
    // No index has \`state\`: so a change of state writes none, unless the run comes to stand elsewhere.
    `CREATE INDEX run_open ON run (id) WHERE standing = 0`,
    `CREATE INDEX run_bad ON run (id) WHERE standing = 2`,
    `CREATE INDEX run_bad_of ON run (workflow, id) WHERE standing = 2`,
    `CREATE INDEX run_owned ON run (owner) WHERE owner IS NOT NULL`,
    `CREATE INDEX run_tagged ON run (id) WHERE tags IS NOT NULL`,
    `CREATE INDEX run_child ON run (parent, parent_task, parent_element) WHERE parent IS NOT NULL`,
    `CREATE INDEX run_replay ON run (replay_of, id) WHERE replay_of IS NOT NULL`,
    keyed(
      'task_run',
      `run BIGINT NOT NULL, task BIGINT NOT NULL, state TEXT NOT NULL, round BIGINT NOT NULL, since BIGINT NOT NULL,
      body TEXT NOT NULL`,
      'run, task',
    ),
    keyed(
      'attempt',
      `run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, state TEXT NOT NULL,
      worker TEXT, late BIGINT NOT NULL, queued_at BIGINT, assigned_at BIGINT, started_at BIGINT, ended_at BIGINT NOT NULL,
      exit_code BIGINT, cpu_time BIGINT, peak_memory BIGINT, error TEXT, log_tail TEXT, late_state TEXT`,
      'run, task, shard, number',
    ),
    {
      sqlite: `CREATE TABLE inbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, run BIGINT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL)`,
      postgres: `CREATE TABLE inbox (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run BIGINT NOT NULL, body TEXT NOT NULL,
        created_at BIGINT NOT NULL)`,
    },
    `CREATE INDEX inbox_of_run ON inbox (run, seq)`,

    // A token: only attempts that may run now stand here, in the order of service of their worker group.
    keyed(
      'ready',
      `worker_group TEXT NOT NULL, run_priority BIGINT NOT NULL, run BIGINT NOT NULL, task_priority BIGINT NOT NULL,
      task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, target TEXT, avoid TEXT,
      limited BIGINT NOT NULL, payload TEXT NOT NULL, queued_at BIGINT NOT NULL`,
      'run, task, shard, number',
    ),
    `CREATE INDEX ready_order ON ready (worker_group, run_priority, run, task_priority, task, shard) WHERE target IS NULL`,
    `CREATE INDEX ready_target ON ready (target, worker_group, run_priority, run, task_priority, task, shard)
      WHERE target IS NOT NULL`,
    `CREATE INDEX ready_avoid ON ready (avoid, worker_group) WHERE avoid IS NOT NULL`,
    keyed(
      'assignment',
      `run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL, worker TEXT NOT NULL,
      worker_epoch BIGINT NOT NULL, take BIGINT NOT NULL, killed BIGINT NOT NULL, limited BIGINT NOT NULL,
      payload TEXT NOT NULL, queued_at BIGINT NOT NULL, assigned_at BIGINT NOT NULL`,
      'run, task, shard, number',
    ),
    `CREATE INDEX assignment_of_worker ON assignment (worker, worker_epoch)`,

    // A slot is a row, so freeing twice is harmless. A holder is an attempt, or a run: then its task is -1.
    `CREATE TABLE limit_size (name TEXT PRIMARY KEY, slots BIGINT NOT NULL, held BIGINT NOT NULL)`,
    keyed(
      'limit_slot',
      `name TEXT NOT NULL, run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL,
      owner TEXT NOT NULL`,
      'name, run, task, shard, number',
    ),
    `CREATE INDEX limit_slot_of ON limit_slot (run, task, shard, number)`,
    // When each account was last let in from a list in which several waited: a number that grows.
    keyed('limit_turn', 'name TEXT NOT NULL, owner TEXT NOT NULL, turn BIGINT NOT NULL', 'name, owner'),
    // A holder waits in the list of one limit. A run has its workflow here: runs of one are admitted in their order.
    keyed(
      'limit_wait',
      `name TEXT NOT NULL, owner TEXT NOT NULL, priority BIGINT NOT NULL, seq BIGINT NOT NULL, workflow BIGINT,
      run BIGINT NOT NULL, task BIGINT NOT NULL, shard BIGINT NOT NULL, number BIGINT NOT NULL,
      body TEXT NOT NULL, since BIGINT NOT NULL`,
      'run, task, shard, number',
    ),
    `CREATE INDEX limit_wait_order ON limit_wait (name, owner, priority, seq)`,
    `CREATE INDEX limit_wait_line ON limit_wait (workflow, seq) WHERE workflow IS NOT NULL`,

    keyed(
      'fact',
      `workflow BIGINT NOT NULL, business_time BIGINT NOT NULL, run BIGINT NOT NULL, round BIGINT NOT NULL,
      state TEXT NOT NULL, tasks TEXT NOT NULL, ended_at BIGINT NOT NULL`,
      'workflow, business_time, run, round',
    ),
    keyed(
      'dependency_wait',
      `run BIGINT NOT NULL, task BIGINT NOT NULL, round BIGINT NOT NULL, since BIGINT NOT NULL, look_at BIGINT NOT NULL`,
      'run, task, round',
    ),
    `CREATE INDEX dependency_wait_look ON dependency_wait (look_at)`,
    keyed(
      'dependency_on',
      'workflow BIGINT NOT NULL, run BIGINT NOT NULL, task BIGINT NOT NULL, round BIGINT NOT NULL',
      'workflow, run, task, round',
    ),
    `CREATE INDEX dependency_on_wait ON dependency_on (run, task, round)`,

    // Which shard of a task belongs to which worker, where that is kept from run to run.
    keyed('shard_plan', 'workflow BIGINT NOT NULL, task TEXT NOT NULL, body TEXT NOT NULL', 'workflow, task'),

    // Counted by its writer, so that order per writer is the order of commits.
    keyed('feed_writer', 'node TEXT NOT NULL, epoch BIGINT NOT NULL, newest BIGINT NOT NULL', 'node, epoch'),
    keyed(
      'event',
      `node TEXT NOT NULL, epoch BIGINT NOT NULL, n BIGINT NOT NULL, topic TEXT NOT NULL, subject BIGINT NOT NULL,
      revision BIGINT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL`,
      'node, epoch, n',
    ),

    // What people and nodes did to things, in order; rare beside what runs write.
    {
      sqlite: `CREATE TABLE history (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at BIGINT NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
        subject TEXT NOT NULL, action TEXT NOT NULL, body TEXT NOT NULL)`,
      postgres: `CREATE TABLE history (
        seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at BIGINT NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
        subject TEXT NOT NULL, action TEXT NOT NULL, body TEXT NOT NULL)`,
    },
    `CREATE INDEX history_of ON history (kind, subject, seq)`,
    // Something that needs people is not shown until a time, or until a run after `seen` adds to it.
    `CREATE TABLE need_mute (
      id TEXT PRIMARY KEY, actor TEXT NOT NULL, at BIGINT NOT NULL, until BIGINT, seen BIGINT NOT NULL,
      reason TEXT NOT NULL)`,

    // One change of many runs. \`below\`: which runs it means is still being found out, down from this one.
    numbered(
      'bulk',
      'id',
      `action TEXT NOT NULL, state TEXT NOT NULL, list TEXT, asked TEXT, below BIGINT, project TEXT, actor TEXT NOT NULL,
      reason TEXT, total BIGINT NOT NULL, told BIGINT NOT NULL, refused BIGINT NOT NULL, refusals TEXT NOT NULL,
      revision BIGINT NOT NULL, created_at BIGINT NOT NULL, ended_at BIGINT, ended_by TEXT`,
    ),
    `CREATE INDEX bulk_open ON bulk (revision, id) WHERE state = 'running'`,
    `CREATE INDEX bulk_ended ON bulk (ended_at) WHERE ended_at IS NOT NULL`,
    keyed(
      'bulk_run',
      'bulk BIGINT NOT NULL, run BIGINT NOT NULL, outcome TEXT NOT NULL, reason TEXT',
      'bulk, run',
    ),
    `CREATE INDEX bulk_run_outcome ON bulk_run (bulk, outcome, run)`,

    // A token is known by its hash alone; preferences belong to its holder, 0 being whoever needs none.
    `CREATE TABLE token (
      id BIGINT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
      project TEXT, created_by TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT, revoked_at BIGINT,
      last_used_at BIGINT)`,
    `CREATE TABLE preference (token BIGINT PRIMARY KEY, body TEXT NOT NULL, saved_at BIGINT NOT NULL)`,
    // Filters of a list under a name, for everybody who sees the project.
    keyed(
      'saved_view',
      `project TEXT NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL, badge BIGINT NOT NULL, author TEXT NOT NULL,
      saved_at BIGINT NOT NULL`,
      'project, name',
    ),
    `CREATE TABLE audit (
      id BIGINT PRIMARY KEY, created_at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
      subject TEXT NOT NULL, detail TEXT NOT NULL)`,

    // Room in each page for the next version of a row, which then needs no new entry in any index.
    { sqlite: 'SELECT 1', postgres: 'ALTER TABLE run SET (fillfactor = 50)' },
    { sqlite: 'SELECT 1', postgres: 'ALTER TABLE task_run SET (fillfactor = 50)' },
  ],
};

/** A table whose key is a number, by which SQLite stores it: no second tree is needed to find a row. */
function numbered(name: string, key: string, columns: string): Text {
  const text = (type: string) => `CREATE TABLE ${name} (${key} ${type} PRIMARY KEY, ${columns})`;
  return { sqlite: text('INTEGER'), postgres: text('BIGINT') };
}

/** A table that SQLite stores in the order of its key, without a second tree for it. */
function keyed(name: string, columns: string, key: string): Text {
  const text = `CREATE TABLE ${name} (${columns}, PRIMARY KEY (${key}))`;
  return { sqlite: `${text} WITHOUT ROWID`, postgres: text };
}
