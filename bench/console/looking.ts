/** A page that is measured: how soon it is there, how its frames come, how quickly it answers, what it keeps. */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';

/** A slower machine and a slower line, as the budget has them. */
export interface Slowness {
  readonly cpu: number;
  readonly megabits: number;
}

/** One page in a browser context of its own: nothing is cached at first. */
export interface Looking extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Goes to an address; milliseconds until the first paint and until `there` is on screen. */
  open(url: string, there: string): Promise<{ paint: number; shown: number }>;
  /** The times between frames while something is done, in order of size, and what the page itself did in each. */
  frames(act: () => Promise<void>): Promise<Frames>;
  /** Megabytes of the page's own objects, after a garbage collection. */
  heap(): Promise<number>;
  /** How far the layout has shifted so far, as CLS counts it. */
  shift(): Promise<number>;
  /** Milliseconds of CPU used by the page's main thread: the time in which it cannot respond. */
  mainThread(): Promise<number>;
  /**
   * Milliseconds until the next paint of every interaction so far, in order; those below 16 are not reported
   * and count as 16.
   */
  interactions(): Promise<number[]>;
}

/** How frames came. */
export interface Frames {
  readonly times: readonly number[];
  /** Milliseconds of CPU that the page's process took for a frame, in the mean: the same on a machine with much to do. */
  readonly work: number;
}

interface Measured {
  shift: number;
  presses: Map<number, number>;
  frames: number[];
}

/** Runs in the page, before anything of its own. */
function watch(): void {
  const measured: Measured = { shift: 0, presses: new Map(), frames: [] };
  (globalThis as unknown as { measured: Measured }).measured = measured;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
    })[])
      if (!entry.hadRecentInput) measured.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[])
      if (entry.interactionId)
        measured.presses.set(
          entry.interactionId,
          Math.max(entry.duration, measured.presses.get(entry.interactionId) ?? 0),
        );
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
}

/** Opens a page to measure. */
export async function look(browser: Browser, slowness?: Slowness): Promise<Looking> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: 'UTC' });
  context.setDefaultTimeout(120_000);
  await context.addInitScript(watch);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  if (slowness) await slowDown(session, slowness);
  const measured = <T>(read: (measured: Measured) => T) => page.evaluate<T>(`(${read})(globalThis.measured)`);
  return {
    page,
    context,
    async open(url, there) {
      await page.goto(url, { waitUntil: 'commit' });
      await page.waitForSelector(there);
      return page.evaluate((selector) => {
        const [paint] = performance.getEntriesByName('first-contentful-paint');
        return { paint: paint?.startTime ?? Number.NaN, shown: selector && performance.now() };
      }, there) as Promise<{ paint: number; shown: number }>;
    },
    async frames(act) {
      const before = await cpuTime(browser);
      await page.evaluate(() => {
        const times: number[] = [];
        let last = performance.now();
        const next = (now: number) => {
          times.push(now - last);
          last = now;
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
        (globalThis as unknown as { measured: Measured }).measured.frames = times;
      });
      await act();
      const times = await measured(({ frames }) => frames.slice(2));
      const work = (await cpuTime(browser)) - before;
      return { times: times.sort((a, b) => a - b), work: work / times.length };
    },
    async heap() {
      for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize / 2 ** 20;
    },
    async mainThread() {
      const { metrics } = await session.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
    },
    shift: () => measured(({ shift }) => shift),
    interactions: () => measured(({ presses }) => [...presses.values()]),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Milliseconds of CPU used by pages; hidden ones have none. */
export async function cpuTime(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pages = processInfo.filter(({ type }) => type === 'renderer');
  return pages.reduce((sum, page) => sum + page.cpuTime * 1_000, 0);
}

async function slowDown(session: CDPSession, { cpu, megabits }: Slowness): Promise<void> {
  await session.send('Network.enable');
  const bytes = (megabits * 1_000_000) / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 20,
    downloadThroughput: bytes,
    uploadThroughput: bytes,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpu });
}

/** The value below which this share of sorted values is. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

/** Turns the wheel over something. */
export async function wheel(page: Page, selector: string, notches: number, pixels: number): Promise<void> {
  const box = await page.locator(selector).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  for (let i = 0; i < notches; i++) await page.mouse.wheel(0, pixels);
}
