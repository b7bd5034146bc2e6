/** The controls of a page that can be pressed now: in view, and not covered. */
import type { Page } from 'playwright-core';

/** A control and a point of it. */
export interface Control {
  readonly name: string;
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const pressable = [
  ...['a[href]', 'button', 'input', 'select', 'textarea', 'summary', 'label', 'canvas'],
  ...['row', 'menuitem', 'option', 'tab', 'switch', 'checkbox', 'radio', 'slider', 'button', 'img'].map(
    (role) => `[role="${role}"]`,
  ),
].join();

/** Those that match, from the first to the last of the page. */
export function controls(page: Page, selector = pressable): Promise<Control[]> {
  return page.evaluate((chosen) => {
    const found: Control[] = [];
    for (const element of document.querySelectorAll<HTMLElement>(chosen)) {
      const { left, top, width, height } = element.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      if (width < 2 || height < 2 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      const above = document.elementFromPoint(x, y);
      if (!above || !(element.contains(above) || above.contains(element))) continue;
      if (element instanceof HTMLAnchorElement && element.origin !== location.origin) continue;
      const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
      const kind = element.getAttribute('role') ?? element.localName;
      found.push({ name: name.trim().replace(/\s+/g, ' ').slice(0, 60), kind, x, y, width, height });
    }
    return found;
  }, selector);
}
