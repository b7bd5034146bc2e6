/**
 * Pictures of pages. Some are compared with those stored in `e2e/console/looks`; one that differs is left in
 * `.vitest/looks` with the difference marked, and `npm run looks -- --accept` stores it. The others are only left there.
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
const takenFolder = join(import.meta.dirname, '..', '..', '..', '..', '.vitest', 'looks');

/** Whether what differs is stored instead of told. */
export const accepting = process.env.ORRERY_LOOKS === 'accept';

/** A page that has looked the same for so long, and waits for no answer, will not become what it is to be. */
const SETTLED = accepting ? 2_000 : 5_000;
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
  const traces = ['actual', 'difference'].map((what) => join(takenFolder, `${name}.${what}.png`));
  for (const trace of traces) rmSync(trace, { force: true });
  if (problem === undefined) return;
  if (accepting) {
    mkdirSync(storedFolder, { recursive: true });
    writeFileSync(path, encodeTablePng(inFewColours(actual)));
    return;
  }
  mkdirSync(takenFolder, { recursive: true });
  writeFileSync(traces[0], encodePng(actual));
  if (stored) writeFileSync(traces[1], encodePng(markDifference(stored, actual)));
  throw new Error(
    `"${name}" does not look as stored: ${problem}\nIt is in ${traces[0]}.\n` +
      'If that is how it should look: npm run looks -- --accept',
  );
}

/** Leaves a picture of a page for people to look at; `held`: one whose requests are never answered. */
export async function takePicture(page: Page, name: string, held: boolean): Promise<void> {
  const picture = await settledPicture(page, held);
  mkdirSync(takenFolder, { recursive: true });
  writeFileSync(join(takenFolder, `${name}.png`), encodePng(picture));
}

/** What a page looks like once nothing in it changes any more. */
export async function settledPicture(page: Page, held = false): Promise<Picture> {
  const [picture] = await settle(page, () => 'it may still change', 500, held);
  return picture;
}

/** Takes pictures until one has no problem, or until nothing changes any more. */
async function settle(
  page: Page,
  problemOf: (shot: Picture) => string | undefined,
  settled = SETTLED,
  held = false,
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
    if (problem === undefined) return [shot, problem];
    if (unchanged > settled && (held || !(await waits(page)))) return [shot, problem];
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
