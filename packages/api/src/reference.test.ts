/** The reference of the API is true: its table of routes is made from the contract (`vitest -u` writes it again). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemKinds } from '@orrery/contract';
import { expect, it } from 'vitest';
import { routeTable } from './openapi/route-table.ts';

const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'reference', 'api.md');
const page = readFileSync(file, 'utf8');

it('has every route in the reference, and no other', async () => {
  const table = /(?<=## Routes\n\n)(?:\|.*\n)+/;
  expect(page).toMatch(table);
  await expect(page.replace(table, () => routeTable())).toMatchFileSnapshot(file);
});

it('explains every status of a problem', () => {
  const explained = [...page.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, statuses]) => statuses.split(', '));
  for (const [status] of Object.values(problemKinds)) expect(explained).toContain(String(status));
});
