/** Addresses that a user may open: every page, with queries that fit, that do not, and that belong to another page. */
import type { Random } from '@orrery/testkit/random';
import type { World } from './world.ts';

type Fields = Readonly<Record<string, readonly string[]>>;

const ofRun: Fields = {
  view: ['graph', 'timeline', 'table', 'picture'],
  task: ['start', 'part_7', 'talk', 'parts', 'within', 'fetch', 'store', 'no such task', '__proto__'],
  tab: ['overview', 'log', 'io', 'attempts', 'shards', 'x'],
  attempt: ['1', '2', '99', '-1'],
  shard: ['0', '3', '77'],
  t: ['1..2', '1790000000000..1790000001000', '5..1'],
  open: ['shards:1.parts', 'run:1', ','],
  ask: ['pause', 'stop', 'force', 'kill', 'set-params', 'tag'],
  path: ['on'],
  history: ['on'],
  again: ['all', 'recover', 'from', 'to', 'only'],
  replay: ['same', 'latest'],
  part: ['from', 'to', 'only'],
  state: ['failed', 'success,running', 'bad', ''],
  q: ['a', 'part_1', '%', '(((', '"', '订单'],
};
const ofLog: Fields = {
  attempt: ['1', '2', '99', '-1'],
  shard: ['0', '3', '77', 'all'],
  line: ['1', '5-9', '2900-3100', '9-5', 'x'],
  q: ['line', '9', '(((', 'ERROR'],
  level: ['error', 'warn', 'info'],
  follow: ['on', 'off'],
  wrap: ['on'],
  by: ['time', 'shard'],
  details: ['command', 'environment', 'outputs', 'use', 'attempts'],
  compare: ['1', '2', '9'],
};
const ofRuns: Fields = {
  state: ['failed', 'success,running', 'running', 'bad'],
  workflow: ['odd/fan', 'live/clicks', 'no/such'],
  project: ['odd', 'live', 'none'],
  trigger: ['manual', 'tick', 'api,child'],
  q: ['a', 'fan', '%', '"'],
  from: ['-1h', '-24h', '2026-01-01', 'soon'],
  to: ['-1m', '2030-01-01'],
  duration: ['1s', '..2s', '1s..5s', 'long'],
  tag: ['orders', 'none'],
  group: ['workflow', 'error'],
  plot: ['scatter'],
  order: ['oldest', 'longest', 'x'],
  columns: ['state,workflow', 'none'],
  ask: ['save', 'stop', 'rerun', 'recover', 'pause', 'tag', 'untag', 'x'],
  of: ['all', 'chosen', '1,2,3'],
  run: ['1', '5', '99999999'],
  bulk: ['1', '2', '99'],
  outcome: ['done', 'refused'],
};
const ofWorkflows: Fields = {
  q: ['a', 'fan', '%', '"'],
  project: ['odd', 'live', 'none'],
  tag: ['orders', 'none'],
  schedule: ['active', 'paused', 'none'],
  state: ['failed', 'success,running'],
  open: ['new', 'import', 'x'],
  move: ['odd/noisy', 'odd/fan,odd/patient', 'no/such'],
  run: ['etl/daily-orders', 'odd/noisy', 'no/such'],
};
const ofHome: Fields = {
  since: ['visit', '24h', '7d', 'x'],
  project: ['odd', 'none'],
  muted: ['shown', 'x'],
};
const all: Fields = { ...ofHome, ...ofWorkflows, ...ofRuns, ...ofLog, ...ofRun };

/** One of them. */
export function anyAddress(random: Random, world: World): string {
  const [path, fields] = random.pick<readonly [string, Fields]>([
    ['/', ofHome],
    ['/workflows', ofWorkflows],
    ...Array.from({ length: 3 }, () => ['/runs', ofRuns] as const),
    ...Array.from({ length: 7 }, () => [`/runs/${random.pick(world.runs)}`, ofRun] as const),
    ...Array.from({ length: 4 }, () => [`/task-runs/${random.pick(world.taskRuns)}`, ofLog] as const),
    [random.pick(elsewhere), all],
  ]);
  const names = Object.keys(random.chance(0.85) ? fields : all);
  const query = Array.from({ length: random.pick([0, 1, 1, 2, 2, 3, 5]) }, () => {
    const name = random.pick(names);
    return `${name}=${encodeURIComponent(random.pick(fields[name] ?? all[name]))}`;
  });
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

const elsewhere = [
  ...['/login', '/no/such/page', '/cluster', '/schedules', '/backfills', '/workflows/odd/fan'],
  ...['/go/1', '/go/nothing', '/runs/999999999', '/runs/x', '/task-runs/1.none', '/task-runs/x'],
];
