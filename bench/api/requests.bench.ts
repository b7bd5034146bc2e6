/** How quickly lists, pages and starts are answered with a million runs behind them, beside the store's own time. */
import { Agent, request } from 'node:http';
import { startApi } from '@orrery/api';
import { realClock } from '@orrery/core/timing';
import type { Store } from '@orrery/store';
import { describePostgres } from '../engine/databases.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { type BenchStore, benchStores } from '../store/databases.ts';
import { type Million, RUNS, WORKFLOWS, writeMillion } from './million-runs.ts';

export const title = `requests over HTTP, one at a time, with ${RUNS.toLocaleString('en-US')} runs of ${WORKFLOWS.toLocaleString('en-US')} workflows`;
export const about = describePostgres;

const WARM = bySize(20, 0);
const ASKED = bySize(200, 1);

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const open of benchStores.slice(1)) {
    await using bench = await open();
    rows.push(...(await measure(bench)));
  }
  return rows;
}

async function measure(bench: BenchStore): Promise<Row[]> {
  const million = await writeMillion(bench, Date.now());
  // Skips time between requests with briefly cached answers, so that each answer is computed.
  let skipped = 0;
  const monotonic = () => performance.now() + skipped;
  const api = await startApi(
    {
      store: bench.store,
      clock: realClock({ now: Date.now, monotonic, setTimeout, clearTimeout }),
      hints: { commandsQueued: () => {}, inboxTold: () => {} },
      logs: {
        read: async () => ({ bytes: new Uint8Array(), next: 0, size: 0 }),
        follow: async function* () {},
      },
      taskTypes: () => [{ name: 'shell' }],
      version: '0',
      onDefect: (error) => console.error(error),
    },
    { port: 0 },
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const rows: Row[] = [];
  for (const { what, path, body, bare, kept } of asked(million, bench.store)) {
    const answered = await timed(() => {
      if (kept) skipped += kept;
      return send(`${api.url}/api/v1${path}`, agent, body?.());
    });
    const alone = bare && (await timed(bare));
    const note = alone ? `; store alone p50 ${alone.p50.toFixed(2)}, p99 ${alone.p99.toFixed(2)} ms` : '';
    rows.push({
      what: `${bench.name}: ${what}`,
      value: answered.p50,
      unit: 'ms p50',
      note: `p99 ${answered.p99.toFixed(2)} ms${note}`,
    });
  }
  agent.destroy();
  await api.stop();
  return rows;
}

interface Asked {
  readonly what: string;
  readonly path: string;
  readonly body?: () => object;
  readonly bare?: () => Promise<unknown>;
  /** How long an answer is cached, in milliseconds. */
  readonly kept?: number;
}

function asked({ firstRun, lastRun, workflow }: Million, store: Store): Asked[] {
  const all = { filter: {}, queued: true, claimed: true };
  const failed = { ...all, queued: false, filter: { states: ['failed'] as const } };
  const deep = firstRun + RUNS / 2;
  return [
    { what: 'list runs', path: '/runs', bare: () => store.pageRuns({ ...all, limit: 50 }) },
    {
      what: 'list runs, half a million down',
      path: `/runs?before=${deep}`,
      bare: () => store.pageRuns({ ...all, before: deep, limit: 50 }),
    },
    {
      what: 'list failed runs',
      path: '/runs?state=failed',
      bare: () => store.pageRuns({ ...failed, limit: 50 }),
    },
    { what: 'list runs of a workflow', path: `/runs?workflow=${workflow.name}` },
    {
      what: 'show a run',
      path: `/runs/${lastRun}`,
      bare: () => store.readRunDetails({ id: lastRun, from: 0, to: 0 }),
    },
    { what: 'task runs of a run', path: `/runs/${lastRun}/tasks` },
    { what: 'list 50 workflows', path: '/workflows', bare: () => store.pageWorkflows({ limit: 50 }) },
    { what: 'list 50 workflows with strips and next ticks', path: '/workflows?include=strip,next' },
    {
      what: 'find workflows by letters',
      path: '/workflows?q=flw999',
      bare: () => store.pageWorkflows({ words: ['flw999'], limit: 50 }),
    },
    {
      what: 'versions of a workflow',
      path: `/workflows/default/${workflow.name}/versions`,
      bare: () => store.listVersions({ workflow: workflow.id, limit: 50 }),
    },
    {
      what: 'grid of 60 runs',
      path: `/workflows/default/${workflow.name}/grid`,
      bare: () => store.readGrid({ workflow: workflow.id, limit: 60 }),
    },
    { what: 'list 50 schedules', path: '/schedules', bare: () => store.pageSchedules({ limit: 50 }) },
    { what: 'histogram of a day', path: '/runs/histogram?from=-24h&to=-0' },
    { what: 'histogram of a year', path: '/runs/histogram?from=-365d&to=-0' },
    {
      what: 'histogram of a year of a workflow',
      path: `/runs/histogram?from=-365d&to=-0&workflow=${workflow.name}`,
    },
    { what: 'home page, made anew each time', path: '/overview', kept: 60_000 },
    { what: 'home page', path: '/overview' },
    { what: 'start a run', path: '/runs', body: () => ({ workflow: workflow.name }) },
  ];
}

/** Median and 99th of a hundred, in milliseconds. */
async function timed(act: () => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  for (let k = 0; k < WARM; k++) await act();
  const times: number[] = [];
  for (let k = 0; k < ASKED; k++) {
    const start = performance.now();
    await act();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { p50: times[ASKED >> 1], p99: times[Math.ceil(ASKED * 0.99) - 1] };
}

function send(url: string, agent: Agent, body: object | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = body ? { 'content-type': 'application/json' } : {};
  const asking = request(url, { agent, method: body ? 'POST' : 'GET', headers }, (answer) => {
    if ((answer.statusCode ?? 0) >= 300) reject(new Error(`${url} was answered with ${answer.statusCode}`));
    answer.resume();
    answer.once('end', resolve);
  });
  asking.once('error', reject);
  asking.end(body && JSON.stringify(body));
  return promise;
}
