/** What the editor costs with many tasks: opening it, a key in the text, dragging in the graph; beside the budget of each. */
import { openChromium } from '../../scripts/open-chromium.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { look, quantile } from './looking.ts';
import { serveHuge } from './servers.ts';

const many = bySize(
  { workflows: 2, runs: 10, wide: 1_000, tasks: 10, logLines: 10 },
  { workflows: 2, runs: 10, wide: 20, tasks: 10, logLines: 10 },
);
const KEYS = bySize(60, 5);
const MOVES = bySize(160, 10);

export const title = `the editor in headless Chromium without a GPU, 1440 x 900, with ${many.wide} tasks`;

export async function run(): Promise<Row[]> {
  await using served = await serveHuge(many);
  const browser = await openChromium();
  try {
    await using looking = await look(browser);
    const { page } = looking;
    const { shown } = await looking.open(
      `${served.url}/workflows/ml/wide/edit`,
      'section button[aria-label*="task"]',
    );
    const opening = await looking.mainThread();
    await page.waitForTimeout(3 * many.wide);
    const drag = await looking.frames(async () => {
      const box = await page.locator('canvas').first().boundingBox();
      if (!box) throw new Error('there is no graph');
      await page.mouse.move(box.x + box.width / 2, box.y + box.height - 40);
      await page.mouse.down();
      for (let k = 0; k < MOVES; k++)
        await page.mouse.move(box.x + box.width / 2 + 150 * Math.sin(k / 12), box.y + box.height - 40 - k);
      await page.mouse.up();
    });
    const before = (await looking.interactions()).length;
    const idle = await looking.mainThread();
    await page.getByRole('textbox', { name: /^YAML of/ }).focus();
    await page.keyboard.press('Control+End');
    for (let k = 0; k < KEYS; k++) {
      await page.keyboard.press(k % 20 === 19 ? 'Enter' : '#');
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
