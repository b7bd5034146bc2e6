/** What must never be seen, whatever a user does: looked for after each act. */
import type { Page } from 'playwright-core';
import type { World } from './world.ts';

/** How long something may look wrong before it is: pages load, on a machine that has much else to do. */
const PATIENCE = 30_000;
const BLINK = 50;

/** A request that was refused or not answered; the browser says so in the console, and the page says it to the user. */
const refused = /^Failed to load resource: the server responded with a status of 4\d\d/;
const unanswered = /net::ERR_|Failed to fetch|NetworkError|status of 5\d\d|dynamically imported module/;

/** Watches a page from now on. */
export class Watch {
  private readonly page: Page;
  private readonly world: World;
  private readonly errors: string[] = [];
  /** Whether something else than the whole page had the focus before a dialog came. */
  private hadFocus = false;
  private hadDialog = false;
  private path = '';
  /** When the document began: another one has nothing to give back. */
  private document = 0;

  constructor(page: Page, world: World) {
    this.page = page;
    this.world = world;
    page.on('pageerror', (error) => this.errors.push(`error: ${error.stack ?? error}`));
    page.on('crash', () => this.errors.push('the page crashed'));
    page.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(`console: ${message.text()}`);
    });
  }

  /** The fault so far; null if there is none. */
  async fault(): Promise<string | null> {
    const until = performance.now() + PATIENCE;
    for (;;) {
      const errors = this.errors.splice(0).filter((error) => !this.isExpected(error));
      if (errors.length > 0) return errors.join('\n');
      const looks = await this.looks();
      if (looks === null || performance.now() > until) return looks;
      await this.page.waitForTimeout(BLINK);
    }
  }

  private isExpected(error: string): boolean {
    if (refused.test(error.replace(/^console: /, ''))) return true;
    return this.world.hadFault() && unanswered.test(error);
  }

  /** What looks wrong, though it may only be on its way. */
  private async looks(): Promise<string | null> {
    const seen = await this.page.evaluate(look).catch(() => null);
    // Between two documents there is nothing to see.
    if (!seen) return 'the page does not answer';
    if (seen.isBrowsers) {
      await this.page.goto(this.world.server.url).catch(() => {});
      return 'the browser shows a page of its own';
    }
    if (seen.hasDefect) return `the page has a defect: ${seen.defect}`;
    if (!seen.hasMain) return 'the page is blank';
    if (seen.isLoading && !this.world.hadFault()) return 'the page goes on loading';
    if (seen.isLocked) return 'the page behind a dialog that is gone cannot be used';
    const isLost =
      this.document === seen.document &&
      this.hadDialog &&
      !seen.hasDialog &&
      this.hadFocus &&
      seen.path === this.path;
    if (isLost && !seen.hasFocus) return 'the focus was lost with a dialog';
    if (!seen.hasDialog || seen.document !== this.document) this.hadFocus = seen.hasFocus && !seen.hasDialog;
    this.hadDialog = seen.hasDialog;
    this.path = seen.path;
    this.document = seen.document;
    return null;
  }
}

/** Runs in the page. */
function look() {
  const main = document.querySelector('main');
  const headings = [...document.querySelectorAll('h1')].map(({ textContent }) => textContent ?? '');
  const hasDialog = document.querySelector('[role="dialog"], [role="menu"]') !== null;
  const hasDefect =
    headings.some((text) => /This page has a defect|此页面有缺陷/.test(text)) ||
    document.body.textContent.includes('Something went wrong!');
  return {
    isBrowsers: location.protocol === 'chrome-error:' || location.protocol === 'about:',
    hasMain: (main?.textContent ?? '').trim() !== '',
    hasDefect,
    defect: hasDefect ? main?.textContent : '',
    isLoading:
      document.querySelector(
        '[role="status"][aria-label="Loading"], [role="status"][aria-label="加载中"]',
      ) !== null || /Laying out|正在布局/.test(main?.textContent ?? ''),
    isLocked: !hasDialog && document.body.hasAttribute('data-scroll-locked'),
    hasDialog,
    hasFocus: document.activeElement !== null && document.activeElement !== document.body,
    path: location.pathname,
    document: performance.timeOrigin,
  };
}
