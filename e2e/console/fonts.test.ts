import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useBrowser } from './harness/browser.ts';

const sources = join(import.meta.dirname, '..', '..', 'packages', 'ui', 'src');
const variables = readFileSync(join(sources, 'theme', 'variables.css'), 'utf8');
const browsing = useBrowser();

it.each([
  ['var(--sans)', 160.34375, ['DejaVu Sans', 'Noto Sans S Chinese Regular']],
  ['var(--mono)', 173.234375, ['DejaVu Sans Mono', 'Noto Sans S Chinese Regular']],
])('draws %s with the fonts of the project, not of the machine', async (family, width, families) => {
  const page = await browsing.open('about:blank', { known: true });
  await page.setContent(
    `<style>${variables}</style><p><span style="font: 16px ${family}">Workflows 42 工作流</span></p>`,
  );
  expect(await page.locator('span').evaluate((span) => span.getBoundingClientRect().width)).toBe(width);
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'span' });
  const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
  expect(fonts.map(({ familyName }) => familyName).sort()).toEqual(families);
});

it('has a glyph for every character of the console', async () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tsx?|css)$/.test(name),
  );
  const texts = files.map((name) => readFileSync(join(sources, name), 'utf8'));
  const characters = [...new Set(texts.join(''))].filter((one) => one > '~').sort();
  expect(characters).toContain('中');
  const page = await browsing.open('about:blank', { known: true });
  const boxes = await page.evaluate((drawn) => {
    const canvas = new OffscreenCanvas(32, 32);
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    const pictureOf = (text: string, font: string) => {
      if (!pen) throw new Error('no canvas');
      pen.clearRect(0, 0, 32, 32);
      pen.font = `16px ${font}`;
      pen.fillText(text, 4, 24);
      return pen.getImageData(0, 0, 32, 32).data.join();
    };
    return ['sans-serif', 'monospace'].flatMap((font) => {
      const box = pictureOf('\u{f0000}', font);
      return ['\u{f0001}', ...drawn].filter((one) => pictureOf(one, font) === box);
    });
  }, characters);
  // Only of private characters, which no font has.
  expect(boxes).toEqual(['\u{f0001}', '\u{f0001}']);
});
