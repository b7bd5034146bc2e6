/** The console's costs for its users: paint, frames, response to keys, memory; each beside its budget. */
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../../scripts/open-chromium.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { type Frames, type Looking, look, quantile, wheel } from './looking.ts';
import { type Served, serveWorld } from './servers.ts';

const many = bySize(
  { workflows: 1_000, runs: 1_000_000, wide: 1_000, tasks: 100, logLines: 1_000_000 },
  { workflows: 10, runs: 100, wide: 20, tasks: 10, logLines: 1_000 },
);
const wider = bySize({ ...many, workflows: 10, runs: 100, wide: 3_000, logLines: 10 }, { ...many, wide: 40 });
/** How often the wheel is turned or the mouse is moved. */
const MOVES = bySize(240, 10);
const slow = { cpu: 4, megabits: 10 };

const count = (value: number) => value.toLocaleString('en-US');

export const title = `the console in headless Chromium without a GPU, 1440 x 900, over ${count(many.runs)} runs, a run of ${count(many.wide)} tasks and a log of ${count(many.logLines)} lines`;

/** The medium of several opens, each without a cache. */
const OPENS = bySize(5, 1);

export async function run(): Promise<Row[]> {
  await using huge = await serveWorld({ kind: 'huge', ...many });
  await using wide = await serveWorld({ kind: 'huge', ...wider });
  const browser = await openChromium();
  try {
    return [
      ...(await home(browser, huge)),
      ...(await keys(browser, huge)),
      ...(await runs(browser, huge)),
      ...(await graph(browser, huge, 'ml/wide', many.wide)),
      ...(await graph(browser, wide, 'ml/wide', wider.wide)),
      ...(await log(browser, huge)),
    ];
  } finally {
    await browser.close();
  }
}

const row = (what: string, value: number, unit: string, note: string): Row => ({ what, value, unit, note });
const frameRow = (what: string, { times, work }: Frames) =>
  row(
    what,
    quantile(times, 0.95),
    'ms p95',
    `p50 ${quantile(times, 0.5).toFixed(1)}, ${work.toFixed(1)} ms of CPU a frame, ${times.length} frames; budget 20`,
  );

/** Home, from nothing to needs on screen. */
async function home(browser: Browser, { url }: Served): Promise<Row[]> {
  const there = 'main h1, [role="main"] h1';
  const rows: Row[] = [];
  for (const [name, slowness, budgets] of [
    ['home', undefined, [400, 1_000]],
    ['home, CPU 4 x slower and 10 Mbit/s', slow, [1_200, 2_000]],
  ] as const) {
    const paints: number[] = [];
    const shows: number[] = [];
    const shifts: number[] = [];
    for (let i = 0; i < OPENS; i++) {
      await using looking = await look(browser, slowness);
      const { paint, shown } = await looking.open(url, `${there} >> text=/need|Nothing/`);
      paints.push(paint);
      shows.push(shown);
      await looking.page.waitForTimeout(500);
      shifts.push(await looking.shift());
    }
    const middle = (values: number[]) =>
      quantile(
        values.sort((a, b) => a - b),
        0.5,
      );
    rows.push(
      row(`${name}: first paint`, middle(paints), 'ms', `median of ${OPENS}; budget ${budgets[0]}`),
      row(`${name}: data on screen`, middle(shows), 'ms', `median of ${OPENS}; budget ${budgets[1]}`),
      row(`${name}: layout shift`, Math.max(...shifts), 'CLS', `worst of ${OPENS}; budget 0.02`),
    );
  }
  return rows;
}

/** Keys and clicks on lists, palette and views: time to the next paint. */
async function keys(browser: Browser, { url }: Served): Promise<Row[]> {
  await using looking = await look(browser);
  const { page } = looking;
  const pause = () => page.waitForTimeout(60);
  const press = async (...pressed: string[]) => {
    for (const key of pressed) {
      await page.keyboard.press(key);
      await pause();
    }
  };
  await looking.open(`${url}/workflows`, '[role="row"][data-id]');
  await press(...'jjjjjjjjkkkkxjX'.split(''), 'Control+k', ...'feed'.split(''), 'Escape', '?', 'Escape');
  const lists = await looking.interactions();
  const id = await newest(url, 'ml/wide');
  await looking.open(`${url}/runs/${id}`, 'section button[aria-label*="task"]');
  await page.waitForTimeout(3 * many.wide);
  await press('v', 'v', 'v', 'v', 'v', 'v');
  const views = await looking.interactions();
  const all = [...lists, ...views].sort((a, b) => a - b);
  return [
    row(
      'keys: to the next paint',
      quantile(all, 0.95),
      'ms p95',
      `p50 ${quantile(all, 0.5).toFixed(0)}, ${all.length} keys; budget 100`,
    ),
    row(`keys: next view of ${count(many.wide)} tasks`, views.at(-1) ?? 0, 'ms', 'longest of 6; budget 100'),
  ];
}

async function runs(browser: Browser, { url }: Served): Promise<Row[]> {
  await using looking = await look(browser);
  const shell = await shellHeap(looking, url);
  const { shown } = await looking.open(`${url}/runs`, '[role="row"][data-id]');
  const times = await looking.frames(() => wheel(looking.page, '[role="grid"]', MOVES, 400));
  const heap = await looking.heap();
  return [
    row('list of runs: rows on screen', shown, 'ms', 'budget 1,000'),
    frameRow('list of runs: scrolled', times),
    row('list of runs: heap', heap - shell, 'MB', 'above the shell; budget 40'),
  ];
}

async function graph(browser: Browser, { url }: Served, workflow: string, tasks: number): Promise<Row[]> {
  await using looking = await look(browser);
  const { page } = looking;
  const id = await newest(url, workflow);
  const name = `graph of ${count(tasks)} tasks`;
  const there = 'section button[aria-label*="task"]';
  const first = await looking.open(`${url}/runs/${id}?view=graph`, there);
  // Until the layout by depth has given way to the real one.
  await page.waitForFunction(() => indexedDB.databases().then((all) => all.length > 0));
  await page.waitForTimeout(tasks * 2);
  const again = await looking.open(`${url}/runs/${id}?view=graph`, there);
  await page.waitForTimeout(500);
  const near = await looking.frames(() => drag(page));
  await page.keyboard.press('Escape');
  await page.locator('button[aria-label^="Fit"]').click();
  const far = await looking.frames(() => drag(page));
  return [
    row(`${name}: opened, layout unknown`, first.shown, 'ms', 'budget 1,500 for 1,000'),
    row(`${name}: opened again`, again.shown, 'ms', 'scripts and layout cached; budget 400 for 1,000'),
    frameRow(`${name}: panned near`, near),
    frameRow(`${name}: panned far`, far),
  ];
}

async function log(browser: Browser, { url }: Served): Promise<Row[]> {
  await using looking = await look(browser);
  const { page } = looking;
  const shell = await shellHeap(looking, url);
  const id = await newest(url, 'ops/chatty');
  const { shown } = await looking.open(`${url}/task-runs/${id}.export`, `[data-line="${many.logLines}"]`);
  const box = '[role="region"][aria-label^="Log"]';
  await page.locator(box).evaluate((element) => {
    element.scrollTop = element.scrollHeight / 2;
  });
  await page.waitForTimeout(500);
  const wheeled = await looking.frames(() => wheel(page, box, MOVES, 300));
  const flung = await looking.frames(async () => {
    await page.locator(box).evaluate(async (element, moves) => {
      for (let i = 0; i < moves; i++) {
        element.scrollTop += 4_000;
        await new Promise(requestAnimationFrame);
      }
    }, MOVES);
  });
  const heap = await looking.heap();
  const name = `log of ${count(many.logLines)} lines`;
  return [
    row(`${name}: end on screen`, shown, 'ms', 'budget 1,000'),
    frameRow(`${name}: wheeled`, wheeled),
    frameRow(`${name}: 400 lines a frame`, flung),
    row(`${name}: heap`, heap - shell, 'MB', 'above the shell; budget 40'),
  ];
}

/** The shell around a page that has nothing. */
async function shellHeap(looking: Looking, url: string): Promise<number> {
  await looking.open(`${url}/nothing-here`, 'main h1');
  return looking.heap();
}

async function newest(url: string, workflow: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/runs?limit=1&workflow=${workflow}`);
  const { runs: found } = (await answer.json()) as { runs: { id: number }[] };
  return found[0].id;
}

/** Drags to and fro, as a hand would. */
async function drag(page: Page): Promise<void> {
  const box = await page.locator('section canvas').first().boundingBox();
  const middle = { x: (box?.x ?? 0) + 300, y: (box?.y ?? 0) + 200 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  for (let i = 0; i < MOVES; i++)
    await page.mouse.move(middle.x + Math.sin(i / 8) * 250, middle.y + Math.cos(i / 8) * 150);
  await page.mouse.up();
}
