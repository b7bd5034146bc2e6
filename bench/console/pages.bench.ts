/** The other pages over more than they can show: when their data is on screen, how they scroll, and what they keep. */
import type { Browser } from 'playwright-core';
import { openChromium } from '../../scripts/open-chromium.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { look, quantile, wheel } from './looking.ts';
import { type Served, serveWorld } from './servers.ts';

const huge = bySize(
  { workflows: 10_000, runs: 100_000, wide: 20, tasks: 10, logLines: 10 },
  { workflows: 10, runs: 100, wide: 2, tasks: 10, logLines: 10 },
);
const grid = bySize({ tasks: 1_000, runs: 60 }, { tasks: 20, runs: 5 });
const crowd = bySize(
  { workers: 500, things: 1_000, waiting: 2_000, alerts: 3_000, times: 3_000 },
  { workers: 5, things: 5, waiting: 5, alerts: 5, times: 20 },
);
/** How often the wheel is turned. */
const NOTCHES = bySize(240, 10);
const row = '[role="row"][data-id]';
/** The grid of the last runs: its focused cell says so. */
const GRID = 'main section:has(button[aria-label^="run "])';
const table = 'main section table tbody tr';

interface Opened {
  readonly name: string;
  readonly path: string | ((served: Served) => string);
  /** What shows that its data is on screen. */
  readonly there: string;
  /** What is scrolled, if that has frames of its own. */
  readonly scrolled?: string;
}

const overHuge: readonly Opened[] = [
  { name: 'workflows', path: '/workflows', there: row, scrolled: '[role="grid"]' },
  { name: 'schedules', path: '/schedules', there: row, scrolled: '[role="grid"]' },
  { name: 'schedules by month', path: '/schedules/calendar', there: 'main table td svg' },
  { name: 'load of schedules', path: '/schedules/load', there: table },
  { name: 'audit', path: '/audit', there: row, scrolled: '[role="grid"]' },
];
const workflow = '/workflows/ml/largest';
const overGrid: readonly Opened[] = [
  { name: 'workflow with its grid', path: workflow, there: GRID, scrolled: GRID },
  { name: 'versions of a workflow', path: `${workflow}/versions`, there: row },
];
const overCrowd: readonly Opened[] = [
  { name: 'backfills', path: '/backfills', there: row, scrolled: '[role="grid"]' },
  { name: 'backfill', path: ({ backfill }) => `/backfills/${backfill}`, there: 'main li a, main summary' },
  { name: 'jobs', path: '/jobs', there: row, scrolled: '[role="grid"]' },
  { name: 'job', path: '/jobs/billing/sync-0000', there: row },
  { name: 'cluster', path: '/cluster', there: `${table}:nth-child(3)` },
  { name: 'groups', path: '/groups', there: table },
  { name: 'task group', path: '/groups/tasks/etl/warehouse', there: table },
  { name: 'alerts', path: '/alerts', there: table },
  { name: 'messages about alerts', path: '/alerts/messages', there: table },
  { name: 'settings: tokens', path: '/settings/tokens', there: table },
  { name: 'settings: environments', path: '/settings/environments', there: table },
];

export const title = 'the other pages of the console in headless Chromium without a GPU, 1440 x 900';

export async function run(): Promise<Row[]> {
  const browser = await openChromium();
  try {
    const rows: Row[] = [];
    for (const [world, pages] of [
      [{ kind: 'huge', ...huge }, overHuge],
      [{ kind: 'grid', ...grid }, overGrid],
      [{ kind: 'crowd', ...crowd }, overCrowd],
    ] as const) {
      await using served = await serveWorld(world);
      for (const page of pages) rows.push(...(await measure(browser, served, page)));
    }
    return rows;
  } finally {
    await browser.close();
  }
}

async function measure(browser: Browser, served: Served, opened: Opened): Promise<Row[]> {
  const { name, path, there, scrolled } = opened;
  await using looking = await look(browser);
  await looking.open(`${served.url}/nothing-here`, 'main h1');
  const shell = await looking.heap();
  const { shown } = await looking.open(
    `${served.url}${typeof path === 'string' ? path : path(served)}`,
    there,
  );
  const work = await looking.mainThread();
  await looking.page.waitForTimeout(500);
  const rows: Row[] = [
    {
      what: `${name}: data on screen`,
      value: shown,
      unit: 'ms',
      note: `${work.toFixed(0)} ms of CPU of the main thread; budget 1,000`,
    },
    { what: `${name}: layout shift`, value: await looking.shift(), unit: 'CLS', note: 'budget 0.02' },
  ];
  if (scrolled === undefined) return rows;
  const { times, work: frame } = await looking.frames(() => wheel(looking.page, scrolled, NOTCHES, 400));
  rows.push(
    {
      what: `${name}: scrolled`,
      value: quantile(times, 0.95),
      unit: 'ms p95',
      note: `p50 ${quantile(times, 0.5).toFixed(1)}, ${frame.toFixed(1)} ms of CPU a frame, ${times.length} frames; budget 20`,
    },
    {
      what: `${name}: heap`,
      value: (await looking.heap()) - shell,
      unit: 'MB',
      note: 'above the shell; budget 40',
    },
  );
  return rows;
}
