/**
 * The recorded cases of DolphinScheduler and ours in the same language: every `dolphinscheduler*.json` of
 * `core/fixtures`. A case is read by its words alone. A word that a reader does not know fails its test.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A case as it stands in a file. */
export interface RecordedCase {
  readonly id: string;
  readonly input: Words;
  readonly expect: unknown;
  readonly timezone?: string;
}

/** Words, each with its value. */
export type Words = Readonly<Record<string, unknown>>;

const folder = join(import.meta.dirname, '..', '..', '..', 'core', 'fixtures');

interface Suite {
  readonly id: string;
  readonly cases: readonly RecordedCase[];
}

const suites = globSync('dolphinscheduler*.json', { cwd: folder })
  .sort()
  .flatMap((file): Suite[] => JSON.parse(readFileSync(join(folder, file), 'utf8')).suites);

/** Names of all suites. */
export const suiteNames: readonly string[] = [...new Set(suites.map(({ id }) => id))];

/** The cases of a suite, in the order of the files. */
export function casesOf(suite: string): RecordedCase[] {
  const found = suites.filter(({ id }) => id === suite).flatMap(({ cases }) => cases);
  if (found.length === 0) throw new Error(`there is no suite "${suite}"`);
  return found;
}

/** The words of a case, typed by what its reader knows; fails on any other. Notes are for people. */
export function wordsOf<Known extends object>(words: unknown, known: readonly string[]): Known {
  if (words === null || typeof words !== 'object' || Array.isArray(words)) throw notUnderstood(words);
  for (const word of Object.keys(words))
    if (word !== 'notes' && !known.includes(word)) throw notUnderstood(word);
  return words as Known;
}

/** Whether a case uses one of these words. */
export function says({ input, expect }: RecordedCase, ...words: string[]): boolean {
  const used = [input, expect].flatMap((said) => (said && typeof said === 'object' ? Object.keys(said) : []));
  return words.some((word) => used.includes(word));
}

/** What a reader throws where a case says something it does not know. */
export function notUnderstood(said: unknown): Error {
  return new Error(`a case says ${JSON.stringify(said)}, which is not understood`);
}
