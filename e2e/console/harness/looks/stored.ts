/**
 * Pictures of pages, compared with stored ones in `e2e/console/looks`. What differs is left in `.vitest/looks`, with the
 * difference marked. `npm run looks -- --accept` stores what differs anew.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { cardPage, cardSize } from './card.ts';
import { differenceOf, markDifference, type Strictness } from './compare.ts';
import { inFewColours } from './few-colours.ts';
import { decodePng, encodePng, encodeTablePng, type Picture } from './png.ts';

/** Where pictures are stored. */
export const storedFolder = join(import.meta.dirname, '..', '..', 'looks');
const failedFolder = join(import.meta.dirname, '..', '..', '..', '..', '.vitest', 'looks');

/** Whether what differs is stored instead of told. */
export const accepting = process.env.ORRERY_LOOKS === 'accept';

/** A page that has looked the same for so long, and waits for no answer, will not become what it is to be. */
const SETTLED = accepting ? 500 : 5_000;
/** An answer that has not come for so long is one that a look holds back. */
const UNANSWERED = 30_000;
/** Between two looks at a page that is not yet as it is to be. */
const PAUSE = 100;

/** Waits until a page looks as stored; one that stays different fails, or is accepted. */
export async function expectStored(page: Page, name: string, strictness: Strictness): Promise<void> {
  const path = join(storedFolder, `${name}.png`);
  const stored = existsSync(path) ? decodePng(readFileSync(path)) : undefined;
  const [actual, problem] = await settle(page, (shot) =>
    stored
      ? differenceOf(stored, shot, strictness, accepting ? 0 : undefined)
      : 'there is no stored picture of it',
  );
  const traces = ['actual', 'difference'].map((what) => join(failedFolder, `${name}.${what}.png`));
  for (const trace of traces) rmSync(trace, { force: true });
  if (problem === undefined) return;
  if (accepting) {
    mkdirSync(storedFolder, { recursive: true });
    writeFileSync(path, encodeTablePng(inFewColours(actual)));
    return;
  }
  mkdirSync(failedFolder, { recursive: true });
  writeFileSync(traces[0], encodePng(actual));
  if (stored) writeFileSync(traces[1], encodePng(markDifference(stored, actual)));
  throw new Error(
    `"${name}" does not look as stored: ${problem}\nIt is in ${traces[0]}.\n` +
      'If that is how it should look: npm run looks -- --accept',
  );
}

/** What a page looks like once nothing in it changes any more. */
export async function settledPicture(page: Page): Promise<Picture> {
  const [picture] = await settle(page, () => 'it may still change', 500);
  return picture;
}

/** Takes pictures until one has no problem, or until nothing changes any more. */
async function settle(
  page: Page,
  problemOf: (shot: Picture) => string | undefined,
  settled = SETTLED,
): Promise<[Picture, problem: string | undefined]> {
  let last: Buffer | undefined;
  let since = performance.now();
  for (;;) {
    const file = await page.screenshot({ animations: 'disabled' });
    if (!last?.equals(file)) since = performance.now();
    last = file;
    const shot = decodePng(file);
    const problem = problemOf(shot);
    const unchanged = performance.now() - since;
    if (problem === undefined || unchanged > UNANSWERED) return [shot, problem];
    if (unchanged > settled && !(await waits(page))) return [shot, problem];
    await page.waitForTimeout(PAUSE);
  }
}

/** Whether a page has asked for something and not been answered. */
async function waits(page: Page): Promise<boolean> {
  const asked = await page.requests();
  return asked.some((request) => request.existingResponse() === null && request.failure() === null);
}

/** How strictly pictures can be compared here: exactly where a blank page draws the stored card to the pixel. */
export async function strictnessHere(blank: Page): Promise<Strictness> {
  await blank.setViewportSize(cardSize);
  await blank.setContent(cardPage);
  const path = join(storedFolder, 'card.png');
  const actual = decodePng(await blank.screenshot());
  if (accepting) {
    mkdirSync(storedFolder, { recursive: true });
    writeFileSync(path, encodeTablePng(inFewColours(actual)));
  }
  return differenceOf(decodePng(readFileSync(path)), actual, 'exact', 0) === undefined ? 'exact' : 'rough';
}
