/** What the editor costs with many tasks: opening it, a key in the text, dragging in the graph; beside the budget of each. */
import { createClient } from '@orrery/sdk/client';
import type { Page } from 'playwright-core';
import { openChromium } from '../../scripts/open-chromium.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { look, quantile } from './looking.ts';
import { serveWorld } from './servers.ts';

const TASKS = bySize(1_000, 20);
const few = { kind: 'huge', workflows: 2, runs: 10, wide: 2, tasks: 10, logLines: 10 } as const;
const KEYS = bySize(60, 5);
const MOVES = bySize(160, 10);

export const title = `the editor in headless Chromium without a GPU, 1440 x 900, with ${TASKS} tasks in ${written().split('\n').length} lines of YAML`;

/** A file as people write it: a line for each setting. */
function written(): string {
  const name = (k: number) => `part-${String(k).padStart(4, '0')}`;
  const task = (k: number) =>
    `  - name: ${name(k)}\n    type: shell\n${k < 20 ? '' : `    needs: [${name(k - 20)}]\n`}    with:\n      script: echo part ${k}\n`;
  return `project: ml\nname: written\ntasks:\n${Array.from({ length: TASKS }, (_, k) => task(k)).join('')}`;
}

export async function run(): Promise<Row[]> {
  await using served = await serveWorld(few);
  await createClient({ url: served.url }).publishWorkflows({ body: written() });
  const browser = await openChromium();
  try {
    await using looking = await look(browser);
    const { page } = looking;
    const { shown } = await looking.open(
      `${served.url}/workflows/ml/written/edit`,
      'section button[aria-label*="task"]',
    );
    const opening = await looking.mainThread();
    await page.waitForTimeout(3 * TASKS);
    const drag = await looking.frames(async () => {
      const box = await page.locator('canvas').first().boundingBox();
      if (!box) throw new Error('there is no graph');
      await page.mouse.move(box.x + box.width / 2, box.y + box.height - 40);
      await page.mouse.down();
      for (let k = 0; k < MOVES; k++)
        await page.mouse.move(box.x + box.width / 2 + 150 * Math.sin(k / 12), box.y + box.height - 40 - k);
      await page.mouse.up();
    });
    await page.getByRole('textbox', { name: /^YAML of/ }).focus();
    // In the middle of the file, at the end of a script.
    await page.keyboard.press('Control+End');
    for (let k = 0; k < 20; k++) await page.keyboard.press('PageUp');
    while (!(await lineHere(page)).includes('script:')) await page.keyboard.press('ArrowUp');
    await page.keyboard.press('End');
    const before = (await looking.interactions()).length;
    const idle = await looking.mainThread();
    for (let k = 0; k < KEYS; k++) {
      await page.keyboard.press(k % 20 === 19 ? 'Backspace' : 'x');
      await page.waitForTimeout(60);
    }
    const typing = (await looking.mainThread()) - idle;
    const keys = (await looking.interactions()).slice(before).sort((a, b) => a - b);
    return [
      {
        what: 'editor: graph on screen',
        value: shown,
        unit: 'ms',
        note: `${opening.toFixed(0)} ms of CPU of the main thread; budget 1,500`,
      },
      {
        what: 'editor: key in the text, to the next paint',
        value: quantile(keys, 0.95),
        unit: 'ms p95',
        note: `p50 ${quantile(keys, 0.5).toFixed(0)}, ${keys.length} keys, ${(typing / KEYS).toFixed(1)} ms of CPU of the main thread a key; budget 50`,
      },
      {
        what: 'editor: graph dragged',
        value: quantile(drag.times, 0.95),
        unit: 'ms p95',
        note: `p50 ${quantile(drag.times, 0.5).toFixed(1)}, ${drag.work.toFixed(1)} ms of CPU a frame, ${drag.times.length} frames; budget 20`,
      },
    ];
  } finally {
    await browser.close();
  }
}

/** The line that the caret is in. */
function lineHere(page: Page): Promise<string> {
  return page.evaluate(() => {
    const roots = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? []);
    return roots[0]?.querySelector('.cm-activeLine.cm-line')?.textContent ?? '';
  });
}
