import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { compared, pictureName } from './harness/looks/catalogue.ts';
import { differenceOf } from './harness/looks/compare.ts';
import { accepting, expectStored, settledPicture, storedFolder } from './harness/looks/stored.ts';
import { useLooks } from './harness/looks/visit.ts';

const looks = useLooks();

describe('a page looks as stored, and breaks no rule of accessibility', () => {
  it.each(compared.map((visit) => [visit.look.name, visit] as const))('%s', (_name, visit) =>
    looks.expectAsStored(visit),
  );
});

it('stores no picture that nothing is compared with', () => {
  const names = compared.flatMap((visit) => visit.shots.map((shot) => `${pictureName(visit, shot)}.png`));
  const left = readdirSync(storedFolder).filter((name) => name !== 'card.png' && !names.includes(name));
  if (accepting) for (const name of left) rmSync(join(storedFolder, name));
  else expect(left).toEqual([]);
});

// What is stored again would be stored with the change.
describe.runIf(!accepting)('a change of a page', () => {
  /** Lays a style over a page; a sheet of its own is what the page's policy leaves to scripts. */
  const restyle = (page: Page, rules: string) =>
    page.evaluate((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      document.adoptedStyleSheets = [sheet];
    }, rules);

  const home = compared.find(({ look }) => look.name === 'home')!;
  const stored = pictureName(home, home.shots[0]);

  it.each([
    ['a panel that is gone', 'main section:last-of-type { visibility: hidden }', true, true],
    [
      'a state in the colour of another',
      ':root:root { --failed-fill: #0c6351; --failed-text: #0c6351 }',
      true,
      true,
    ],
    ['a ground that is a little lighter', ':root:root { --raised: #ffffff }', true, false],
    ['other letters', '* { font-family: serif !important }', true, false],
    ['nothing', '', false, false],
  ])('such as %s is seen as it should be', async (_name, rules, exactly, roughly) => {
    const page = await looks.open(home);
    await expectStored(page, stored, await looks.strictness());
    const before = await settledPicture(page);
    await restyle(page, rules);
    const after = await settledPicture(page);
    expect([
      differenceOf(before, after, 'exact') !== undefined,
      differenceOf(before, after, 'rough') !== undefined,
    ]).toEqual([exactly, roughly]);
  });

  it('fails its comparison, and the command that accepts it is told', async () => {
    const page = await looks.open(home);
    await restyle(page, 'main section { visibility: hidden }');
    for (const strictly of ['exact', 'rough'] as const)
      await expect(expectStored(page, stored, strictly)).rejects.toThrow(
        /"home.1440.light" does not look as stored: .* differ, .* may\nIt is in .*\n.*npm run looks -- --accept/,
      );
    await restyle(page, '');
    await expectStored(page, stored, await looks.strictness());
  });
});
