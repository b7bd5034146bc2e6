/**
 * Data folders with something in them: for tests of the console, for people who work on it, and for pictures.
 * `empty`: nothing; `small`: every state, at a fixed moment; `busy`: an engine at work; `huge`: more than fits.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import { openSqlite } from '@orrery/store';
import { seedBusy } from './busy.ts';
import { seedHuge } from './huge.ts';
import { seedSmall } from './small.ts';

/** The seeds there are. */
export const seedNames = ['empty', 'small', 'busy', 'huge'] as const;
export type SeedName = (typeof seedNames)[number];

/** The file that says at which moment a folder stands still; only a seed with a fixed one has it. */
export const MOMENT_FILE = 'moment.json';

/** Fills a folder that has no database yet; `now` is the end of what has happened, unless the seed has its own. */
export async function seed(name: SeedName, folder: string, now: number): Promise<void> {
  if (existsSync(join(folder, 'orrery.db')))
    throw new InvalidInput(`${folder} has a database already; choose an empty folder`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (name === 'empty') await (await openSqlite(join(folder, 'orrery.db'))).close();
  if (name === 'busy') await seedBusy(folder, now);
  if (name === 'huge') await seedHuge(folder, now);
  if (name === 'small')
    writeFileSync(join(folder, MOMENT_FILE), JSON.stringify({ now: await seedSmall(folder) }));
}
