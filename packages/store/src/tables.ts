/** Tables that are written many rows at once, with their columns in order. */
import { table } from './table.ts';

const int = 'int';
const text = 'text';

export const runTable = table('run', {
  id: int,
  workflow: int,
  version: int,
  project: text,
  name: text,
  kind: text,
  trigger_kind: text,
  state: text,
  priority: int,
  owner: text,
  owner_epoch: int,
  request: text,
  fields: text,
  revision: int,
  business_time: int,
  parent: int,
  parent_task: int,
  parent_round: int,
  parent_element: int,
  replay_of: int,
  created_at: int,
  started_at: int,
  ended_at: int,
  standing: int,
  tags: text,
  counts: int,
  started_by: text,
});

export const taskRunTable = table('task_run', {
  run: int,
  task: int,
  state: text,
  round: int,
  since: int,
  /** The highest number of an attempt, of all shards. */
  attempt: int,
  body: text,
});

export const attemptTable = table('attempt', {
  run: int,
  task: int,
  shard: int,
  number: int,
  state: text,
  worker: text,
  late: int,
  queued_at: int,
  assigned_at: int,
  started_at: int,
  ended_at: int,
  exit_code: int,
  cpu_time: int,
  peak_memory: int,
  error: text,
  log_tail: text,
});

export const historyTable = table('history', {
  at: int,
  actor: text,
  kind: text,
  subject: text,
  action: text,
  body: text,
});

export const inboxTable = table('inbox', { run: int, body: text, created_at: int });

export const readyTable = table('ready', {
  worker_group: text,
  run_priority: int,
  run: int,
  task_priority: int,
  task: int,
  shard: int,
  number: int,
  target: text,
  avoid: text,
  limited: int,
  payload: text,
  queued_at: int,
  /** Requested resources, cores in thousandths; null if there are none. */
  cores: int,
  memory: int,
  /** 1: the target was chosen by its group; null otherwise. */
  wished: int,
});

export const assignmentTable = table('assignment', {
  run: int,
  task: int,
  shard: int,
  number: int,
  worker: text,
  worker_epoch: int,
  take: int,
  killed: int,
  limited: int,
  payload: text,
  queued_at: int,
  assigned_at: int,
  cores: int,
  memory: int,
});

export const commandTable = table('command', {
  seq: int,
  priority: int,
  workflow: int,
  limited: int,
  replay_of: int,
  parent: int,
  parent_task: int,
  parent_round: int,
  parent_element: int,
  body: text,
  created_at: int,
  /** 1: it fails if no master has room; null otherwise. */
  impatient: int,
});

export const tickTable = table('tick', { schedule: int, due: int, fired_at: int, run: int });

export const tickSkipTable = table('tick_skip', {
  schedule: int,
  first_due: int,
  last_due: int,
  count: int,
  reason: text,
  recorded_at: int,
});

export const limitSlotTable = table('limit_slot', {
  name: text,
  run: int,
  task: int,
  shard: int,
  number: int,
  owner: text,
});

export const limitWaitTable = table('limit_wait', {
  name: text,
  owner: text,
  priority: int,
  seq: int,
  workflow: int,
  run: int,
  task: int,
  shard: int,
  number: int,
  body: text,
  since: int,
});

export const factTable = table('fact', {
  workflow: int,
  business_time: int,
  run: int,
  round: int,
  state: text,
  tasks: text,
  ended_at: int,
  counts: int,
});

export const dependencyWaitTable = table('dependency_wait', {
  run: int,
  task: int,
  round: int,
  since: int,
  look_at: int,
});

export const approvalTable = table('approval', {
  run: int,
  task: int,
  round: int,
  name: text,
  message: text,
  since: int,
  answered_by: text,
});

export const dependencyOnTable = table('dependency_on', { workflow: int, run: int, task: int, round: int });

export const eventTable = table('event', {
  node: text,
  epoch: int,
  n: int,
  topic: text,
  subject: int,
  revision: int,
  body: text,
  created_at: int,
});

export const bulkTable = table('bulk', {
  id: int,
  action: text,
  tags: text,
  state: text,
  list: text,
  asked: text,
  below: int,
  project: text,
  actor: text,
  reason: text,
  total: int,
  told: int,
  refused: int,
  refusals: text,
  revision: int,
  created_at: int,
  ended_at: int,
  ended_by: text,
});

export const bulkRunTable = table('bulk_run', { bulk: int, run: int, outcome: text, reason: text });

export const workflowUseTable = table('workflow_use', {
  project: text,
  name: text,
  workflow: int,
  used_as: text,
});

export const workflowNeedTable = table('workflow_need', {
  kind: text,
  project: text,
  name: text,
  workflow: int,
});

export const alertTable = table('alert', {
  id: int,
  at: int,
  kind: text,
  workflow: int,
  project: text,
  name: text,
  run: int,
  text: text,
  from_time: int,
  to_time: int,
  routed: int,
});

export const alertSubjectTable = table('alert_subject', {
  group_id: int,
  kind: text,
  project: text,
  name: text,
  workflow: int,
  alert: int,
  at: int,
  run: int,
  text: text,
  from_time: int,
  to_time: int,
});

export const deliveryTable = table('delivery', {
  id: int,
  group_id: int,
  project: text,
  channel: text,
  body: text,
  state: text,
  created_at: int,
  tries: int,
  next_try: int,
  lease_by: text,
  doubled: int,
  ended_at: int,
  answer: text,
});

export const jobHistoryTable = table('job_history', {
  id: int,
  center: text,
  job: text,
  instance: text,
  number: int,
  kind: text,
  at: int,
  unseen: int,
  body: text,
});

export const auditTable = table('audit', {
  created_at: int,
  actor: text,
  action: text,
  subject: text,
  detail: text,
  token: int,
  address: text,
  request: text,
});
