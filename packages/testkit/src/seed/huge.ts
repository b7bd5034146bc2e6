/**
 * More of everything than a page can show: 10,000 workflows with a schedule each, a million runs over a month, a run
 * of 1,000 tasks under way, a workflow of 100,000 tasks, and a log of a million lines. Ends at the moment it is given.
 */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseWorkflow, timingOf, type Workflow } from '@orrery/core/model';
import { nextTick } from '@orrery/core/time';
import { openSqlite, type Store } from '@orrery/store';
import { logPath } from '@orrery/worker';
import { Random } from '../random.ts';
import { type CopyTarget, copyRuns, SLOT } from './copies.ts';
import { largestWorkflow } from './largest-run.ts';
import { Stage } from './stage.ts';

/** How much of it. */
export interface HugeSizes {
  readonly workflows: number;
  readonly runs: number;
  /** Tasks of the run that is under way. */
  readonly wide: number;
  /** Tasks of the largest workflow. */
  readonly tasks: number;
  readonly logLines: number;
}

/** What `huge` means. */
export const hugeSizes: HugeSizes = {
  workflows: 10_000,
  runs: 1_000_000,
  wide: 1_000,
  tasks: 100_000,
  logLines: 1_000_000,
};

const MINUTE = 60_000;
const DAY = 86_400_000;
/** The end of it, which is played and not copied. */
const PRESENT = 10 * MINUTE;
const projects = ['etl', 'reports', 'billing', 'ops', 'ml', 'crm', 'search', 'web'];
const sources = ['orders', 'stock', 'prices', 'customers', 'returns', 'clicks', 'shipments', 'suppliers'];

/** Fills a folder. */
export async function seedHuge(folder: string, now: number, sizes: HugeSizes = hugeSizes): Promise<void> {
  const { workflows, runs: count } = sizes;
  // Before the first run, with a day to spare.
  const begin = now - SLOT * Math.ceil(count / workflows) - DAY;
  const templates = await playTemplates(folder, begin);
  const database = join(folder, 'orrery.db');
  const store = await openSqlite(database);
  const targets = await publishMany(store, sizes, begin + 60 * MINUTE);
  await store.close();
  copyRuns({ database, templates, targets, count, until: now - PRESENT, random: new Random(7) });
  await playPresent(folder, now, sizes);
}

/** Runs that ended well, badly and by hand, to make copies of. */
async function playTemplates(folder: string, from: number) {
  const outcomes = ['success', 'failed', 'success'] as const;
  let played = 0;
  const stage = await Stage.open({
    folder,
    from,
    workers: { w1: {} },
    scenes: {
      'feed-00000/store': () => {
        const state = outcomes[played++ % outcomes.length];
        return state === 'failed' ? { after: 3_000, state, error: 'disk quota exceeded' } : { after: 3_000 };
      },
    },
  });
  await stage.client.publishWorkflows({ body: JSON.stringify(feed(0)) });
  const runs: number[] = [];
  for (let k = 0; k < 2; k++) {
    runs.push(await stage.start('etl/feed-00000'));
    await stage.pass(MINUTE);
  }
  const stopped = await stage.start('etl/feed-00000');
  await stage.client.stopRun({ id: stopped });
  await stage.pass(MINUTE);
  await stage.close();
  const weights = [90, 8, 2];
  return [...runs, stopped].map((run, k) => ({ run, weight: weights[k] }));
}

/** Workflows of one shape, with a schedule each, and the largest one. */
async function publishMany(
  store: Store,
  { workflows, tasks }: HugeSizes,
  now: number,
): Promise<CopyTarget[]> {
  const targets: CopyTarget[] = [];
  for (let k = 0; k < workflows; k++) {
    const workflow = read(feed(k));
    const { project, name } = workflow;
    const played = k === 0 ? await store.readWorkflow({ project, name }) : undefined;
    const id = played?.id ?? (await publish(store, workflow, now));
    targets.push({ id, project, name, schedule: 0, minute: minuteOf(k) });
  }
  await publish(store, read(largestWorkflow(tasks)), now);
  const schedules = new Map<number, number>();
  for (const { id, workflow } of await store.listSchedules({})) schedules.set(workflow, id);
  return targets.map((target) => ({ ...target, schedule: schedules.get(target.id) ?? 0 }));
}

async function publish(store: Store, workflow: Workflow, now: number): Promise<number> {
  const source = JSON.stringify(workflow);
  const hash = createHash('sha256').update(source).digest('hex');
  const due = Object.fromEntries(
    workflow.schedules.map((spec) => [spec.name, nextTick(timingOf(spec), now) ?? null]),
  );
  const { id } = await store.publishWorkflow({ workflow, hash, source, note: '', author: 'seed', due, now });
  return id;
}

/** What goes on now: a wide run under way, and one that writes much. */
async function playPresent(folder: string, now: number, { wide, logLines }: HugeSizes): Promise<void> {
  const stage = await Stage.open({
    folder,
    from: now - PRESENT,
    workers: { w1: { slots: 40 }, w2: { slots: 40 } },
    scenes: {
      'wide/collect': () => ({ after: 30 * MINUTE }),
      'chatty/export': () => ({ after: 5 * MINUTE }),
    },
  });
  const tasks = Array.from({ length: wide - 1 }, (_, k) => ({
    name: `part-${String(k).padStart(4, '0')}`,
    type: 'shell',
    with: { script: `echo part ${k}` },
    ...(k >= 20 && { needs: [`part-${String(k - 20).padStart(4, '0')}`] }),
  }));
  const collect = {
    name: 'collect',
    type: 'shell',
    with: { script: 'echo collect' },
    needs: [tasks[0].name],
  };
  const chatty = { name: 'export', type: 'shell', with: { script: 'echo export' } };
  const files = [
    { project: 'ml', name: 'wide', tasks: [...tasks, collect] },
    { project: 'ops', name: 'chatty', tasks: [chatty] },
  ];
  await stage.client.publishWorkflows({ body: files.map((file) => JSON.stringify(file)).join('\n---\n') });
  const run = await stage.start('ops/chatty');
  await stage.pass(6 * MINUTE);
  await stage.start('ml/wide');
  await stage.passUntil(now);
  await stage.close();
  writeLines(logPath(join(folder, 'logs'), 'chatty', { run, task: 0, shard: -1, number: 1 }), logLines, now);
}

/** A long log; its lines are as long as lines are. */
function writeLines(path: string, count: number, end: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'w');
  for (let k = 0; k < count; ) {
    let text = '';
    for (const stop = Math.min(count, k + 10_000); k < stop; k++) {
      const level = k % 997 === 0 ? 'ERROR' : k % 101 === 0 ? 'WARN ' : 'INFO ';
      text += `${new Date(end - count + k).toISOString()} ${level} exported row ${k} of ${count} to warehouse.orders\n`;
    }
    writeSync(file, text);
  }
  closeSync(file);
}

/** When within eight hours a workflow fires. */
function minuteOf(k: number): number {
  return (k * 7) % 480;
}

/** One of many workflows of the same shape, each firing every eight hours at a time of its own. */
function feed(k: number): object {
  const minute = minuteOf(k);
  const hour = Math.floor(minute / 60);
  return {
    project: projects[k % projects.length],
    name: k === 0 ? 'feed-00000' : `${sources[(k >> 3) % sources.length]}-${String(k).padStart(5, '0')}`,
    description: `Brings ${sources[(k >> 3) % sources.length]} of partner ${k} in`,
    schedule: { cron: `0 ${minute % 60} ${hour},${hour + 8},${hour + 16} * * ?`, misfire: 'skip' },
    tasks: [
      { name: 'fetch', type: 'shell', with: { script: 'echo fetch' } },
      { name: 'store', type: 'shell', needs: 'fetch', with: { script: 'echo store' } },
    ],
  };
}

function read(file: object): Workflow {
  const { workflow, problems } = parseWorkflow(file);
  if (!workflow) throw new Error(problems.map(({ message }) => message).join('; '));
  return workflow;
}
