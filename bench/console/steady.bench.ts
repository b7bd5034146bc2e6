/**
 * What pages cost that stand open while runs change all the time: an engine at work, twenty frames a second to each page.
 * One more page is hidden, and nobody sees what would change in it. At the end the server is killed and comes back.
 */
import { setInterval, setTimeout } from 'node:timers/promises';
import { createClient, watch } from '@orrery/sdk/client';
import { Server } from '../../e2e/console/harness/server.ts';
import { buildConsole } from '../../scripts/build-console.ts';
import { openChromium } from '../../scripts/open-chromium.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { cpuTime, type Looking, look } from './looking.ts';

const MINUTES = bySize(30, 0.01);
/** Until everything that is loaded once is there. */
const WARM_UP = bySize(30_000, 100);
/** A machine that has other work to do is not buried under it. */
const MOST_STARTS = 20;
/** How often the server is killed and comes back. */
const RETURNS = bySize(5, 1);

export const title = `pages of the console that stand open for ${MINUTES} minutes while an engine works`;
export const alone = true;

const workflow = 'name: beat\ntasks: [{ name: one, type: noop }, { name: two, type: noop, needs: one }]';

/** A page in a browser of its own, so that its CPU is its own too. */
interface Standing extends AsyncDisposable {
  readonly name: string;
  readonly budget: string;
  readonly looking: Looking;
  /** Milliseconds it has had so far. */
  cpu(): Promise<number>;
}

export async function run(): Promise<Row[]> {
  buildConsole();
  const server = await Server.start();
  await using pages = new AsyncDisposableStack();
  pages.defer(() => server.stop());
  const ending = new AbortController();
  pages.defer(() => ending.abort());
  await server.publish(workflow);
  await server.runTo('beat', 'success');
  const home = pages.use(await stand('home', server.url));
  const list = pages.use(await stand('list of runs', `${server.url}/runs`));
  const hidden = pages.use(await stand('hidden list of runs', `${server.url}/runs`, 'budget about 0'));
  await hide(hidden.looking);
  const load = keepStarting(server, ending.signal);
  await setTimeout(WARM_UP);
  const rows = await measure([home, list, hidden], countFrames(server.url, ending.signal));
  ending.abort();
  await load;
  rows.push(await catchUp(server, home.looking));
  return rows;
}

async function stand(name: string, url: string, budget = 'budget 15'): Promise<Standing> {
  const browser = await openChromium();
  const looking = await look(browser);
  await looking.open(url, '[role="row"][data-id], main h1');
  await looking.page.getByRole('button', { name: /^live\./ }).waitFor();
  return { name, budget, looking, cpu: () => cpuTime(browser), [Symbol.asyncDispose]: () => browser.close() };
}

/** What each page used while it stood there. */
async function measure(pages: readonly Standing[], frames: { readonly count: number }): Promise<Row[]> {
  const figures = () =>
    Promise.all(pages.map(async ({ looking, cpu }) => ({ heap: await looking.heap(), cpu: await cpu() })));
  const before = await figures();
  const [begin, first] = [performance.now(), frames.count];
  await setTimeout(MINUTES * 60_000);
  const passed = performance.now() - begin;
  const heard = ((frames.count - first) / passed) * 1_000;
  const cpus = await Promise.all(pages.map(({ cpu }) => cpu()));
  const after = await figures();
  return [
    { what: 'frames to each page', value: heard, unit: '/s', note: 'at most 20' },
    ...pages.flatMap(({ name, budget }, k) => [
      {
        what: `${name}: CPU`,
        value: ((cpus[k] - before[k].cpu) / passed) * 100,
        unit: '% of a core',
        note: budget,
      },
      { what: `${name}: heap more`, value: after[k].heap - before[k].heap, unit: 'MB', note: 'budget 20' },
    ]),
  ];
}

/**
 * Headless Chromium shows every tab, so the page is made to believe that it is hidden; its timers still run.
 */
async function hide({ page }: Looking): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

/** Twenty runs a second, each with two tasks, so that there is something to tell in every frame. */
async function keepStarting({ client }: Server, signal: AbortSignal): Promise<void> {
  const under = new Set<Promise<unknown>>();
  try {
    for await (const _ of setInterval(50, undefined, { signal })) {
      const start = client.startRun({ body: { workflow: 'beat' } }).finally(() => under.delete(start));
      under.add(start);
      if (under.size >= MOST_STARTS) await Promise.race(under);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await Promise.all(under);
}

/** What a page that listens to runs is sent. */
function countFrames(url: string, signal: AbortSignal): { readonly count: number } {
  const counted = { count: 0 };
  void (async () => {
    for await (const { kind } of watch(createClient({ url }), ['runs'], { signal }))
      if (kind === 'frame') counted.count++;
  })();
  return counted;
}

/** How long after the server answers again a page is live, and so shows what has changed meanwhile. */
async function catchUp(server: Server, { page }: Looking): Promise<Row> {
  const live = page.getByRole('button', { name: /^live\./ });
  const times: number[] = [];
  for (let k = 0; k < RETURNS; k++) {
    await server.kill();
    await page.getByRole('button', { name: /^reconnecting/ }).waitFor();
    const starting = server.again();
    await answers(server.url);
    const back = performance.now();
    await live.waitFor();
    times.push(performance.now() - back);
    await starting;
  }
  const note = `longest of ${RETURNS}; budget 1,000`;
  return { what: 'live again after the server is back', value: Math.max(...times), unit: 'ms', note };
}

async function answers(url: string): Promise<void> {
  const asked = () => fetch(`${url}/api/v1/health`).then(({ ok }) => ok);
  while (!(await asked().catch(() => false))) await setTimeout(10);
}
