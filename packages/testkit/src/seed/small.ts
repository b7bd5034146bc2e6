/**
 * A day in the life of a small company, ending at a fixed moment with every state of runs and task runs present at
 * least once. The same at every call, so that pictures of it can be compared.
 */
import type { RunFields } from '@orrery/core/run';
import type { Assignment } from '@orrery/wire/frames';
import { type Scene, Stage } from './stage.ts';
import { everyday, troubled } from './workflows.ts';

/** The moment at which the seed stands still. */
export const SMALL_NOW = Date.parse('2026-03-02T09:00:00Z');

const DAY = 86_400_000;
const MINUTE = 60_000;

const always = (scene: Scene) => (): Scene => scene;

/** How attempts go, where not simply well. */
const scenes: Record<string, (assignment: Assignment) => Scene> = {
  'daily-orders/extract': ({ attempt: { number } }) =>
    number === 1
      ? { after: 9_000, state: 'failed', error: 'connection to orders-db refused' }
      : { after: 14_000 },
  'stock-sync/fetch': ({ attempt: { run } }) =>
    run % 9 === 0 ? { after: 30_000, state: 'failed', error: 'HTTP 502 from warehouse API' } : {},
  'backup/snapshot': always({ after: 3 * MINUTE }),
  'partner-import/download': always({
    after: 4_000,
    state: 'failed',
    error: 'sftp: no such host partner.example',
  }),
  'partner-import/parse': always({ after: 40 * MINUTE, dies: 5 * MINUTE }),
  'invoices/collect': always({ after: 20_000, state: 'failed', error: 'exit code 3' }),
  'invoices/price': always({ after: 40 * MINUTE, dies: 5 * MINUTE }),
  'nightly-cleanup/measure': always({ after: 2_000, outputs: { used: '72' } }),
  'nightly-cleanup/rotate': always({ after: 50 * MINUTE, dies: 5 * MINUTE }),
};

/** Fills a folder. */
export async function seedSmall(folder: string): Promise<number> {
  const stage = await Stage.open({
    folder,
    from: SMALL_NOW - DAY,
    workers: { w1: { slots: 8 }, w2: { slots: 4 } },
    scenes,
  });
  const { client } = stage;
  const publish = (body: string, note: string) => client.publishWorkflows({ body, note });
  await client.setTaskGroup({ project: 'etl', name: 'warehouse', body: { slots: 8 } });
  await publish(everyday, 'first version');
  await publish(troubled, 'first version');
  await stage.pass(3 * 3_600_000);
  await publish(everyday.replace('limit: 3', 'limit: 5'), 'retry longer: the database restarts at night');
  await stage.passUntil(SMALL_NOW - 60 * MINUTE);

  const only = { scope: { kind: 'only', tasks: ['extract', 'load'] } };
  await stage.start('etl/daily-orders', only);
  const stopped = await stage.start('ops/nightly-cleanup');
  await stage.pass(10_000);
  await client.stopRun({ id: stopped });
  await stage.passUntil(SMALL_NOW - 20 * MINUTE);

  for (let k = 0; k < 3; k++) await stage.start('ops/backup');
  await stage.start('ml/train-model');
  await stage.start('etl/partner-import');
  const broken = await stage.start('ml/train-model', { priority: 'low' });
  const paused = await stage.start('etl/partner-import', { priority: 'high' });
  await stage.pass(30_000);
  await client.pauseRun({ id: paused });
  await stage.start('reports/weekly-board');
  await stage.start('ops/nightly-cleanup');
  await stage.passUntil(SMALL_NOW - 2 * MINUTE);

  const stopping = await stage.start('etl/partner-import');
  const held = await stage.start('ml/train-model');
  await stage.pass(15_000);
  await client.pauseRun({ id: held });
  await client.stopRun({ id: stopping });
  await stage.start('billing/invoices');
  await stage.passUntil(SMALL_NOW - 1_000);
  await breakRun(stage, broken, 'its plan cannot be read: task 2 has no type');
  await client.startRun({ body: { workflow: 'etl/stock-sync', trigger: 'manual', priority: 'lowest' } });
  stage.freeze(SMALL_NOW);
  await stage.close();
  return SMALL_NOW;
}

/** Sets a run aside, as its owner does when an entry of it is bad. */
async function breakRun({ store, clock }: Stage, run: number, reason: string): Promise<void> {
  const [{ id: node, epoch }] = await store.listNodes();
  const details = await store.readRunDetails({ id: run, from: 0, to: 0 });
  if (!details) throw new Error(`there is no run ${run}`);
  const now = clock.now();
  const fields: RunFields = { ...details.fields, state: 'broken', since: now, reason };
  const nothing = {
    tasks: [],
    enqueue: [],
    withdraw: [],
    outcomes: [],
    consumed: [],
    commands: [],
    messages: [],
  };
  const [{ revision }] = await store.loadRuns({ runs: [run] });
  const change = {
    run,
    revision: revision + 1,
    fields,
    endedAt: now,
    ...nothing,
    release: true,
    event: '{}',
  };
  await store.commitRuns({ self: { node, epoch }, changes: [change], now });
}
