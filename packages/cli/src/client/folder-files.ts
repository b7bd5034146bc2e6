/**
 * Which files of a folder `orrery apply` and `orrery check` take: modules named `….workflow.ts`, YAML or JSON files that
 * say they are workflows, by `name` and `tasks` at their top, and alert files, which have nothing but `project`, `channels`
 * and `rules` there. What `.orreryignore` names is left out.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { isAlertDocument, isOnlyAlertDocument } from '@orrery/core/alert/file';
import { isMap, parseAllDocuments } from 'yaml';

/** Code that is there for another purpose is not run. */
const modules = /\.workflow\.[cm]?[jt]s$/;
const data = /\.(ya?ml|json)$/;

/** The files of a folder, by name. */
export interface FolderFiles {
  readonly taken: readonly string[];
  /** Could have been workflows by their ending, and do not say that they are. */
  readonly others: readonly string[];
}

/** Looks at the files of a folder, not at those of folders in it. */
export async function filesOfFolder(folder: string): Promise<FolderFiles> {
  const isIgnored = await ignoredIn(folder);
  const names = (await readdir(folder)).filter((name) => !isIgnored(name)).sort();
  const taken: string[] = [];
  const others: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (modules.test(name)) taken.push(path);
    else if (data.test(name)) (saysWhat(await readFile(path, 'utf8')) ? taken : others).push(path);
  }
  return { taken, others };
}

function saysWhat(text: string): boolean {
  return saysWorkflow(text) || topKeys(text).some(isOnlyAlertDocument);
}

/** Whether a text is an alert file, be it wrong in any other way. */
export function saysAlerts(text: string): boolean {
  return topKeys(text).some(isAlertDocument);
}

/** The keys at the top of each document of a text that may be an alert file. */
function topKeys(text: string): string[][] {
  // Spares the reading of large files that are clearly something else.
  if (!/^[ \t{"']*(?:rules|channels)\b/m.test(text) && !/[{,]\s*"(?:rules|channels)"/.test(text)) return [];
  return parseAllDocuments(text, { logLevel: 'silent' }).map(({ contents }) =>
    isMap(contents) ? contents.items.map(({ key }) => String(key)) : [],
  );
}

/** Whether one of the documents of a text has `name` and `tasks` at its top, be it wrong in any other way. */
function saysWorkflow(text: string): boolean {
  // Spares the reading of large files that are clearly something else.
  if (!/\bname\b/.test(text) || !/\btasks\b/.test(text)) return false;
  return parseAllDocuments(text, { logLevel: 'silent' }).some(
    (document) => 'has' in document && document.has('name') && document.has('tasks'),
  );
}

/** Patterns a line each, as `*.local.yaml`; `#` begins a comment, `!` takes back. The last that fits counts. */
async function ignoredIn(folder: string): Promise<(name: string) => boolean> {
  const text = await readFile(join(folder, '.orreryignore'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const patterns = text
    .split(/\r?\n/)
    .map((line: string) => line.trim())
    .filter((line: string) => line !== '' && !line.startsWith('#'))
    .map((line: string) => ({ glob: line.replace(/^!/, '').replace(/^\//, ''), back: line.startsWith('!') }));
  return (name) => patterns.findLast(({ glob }) => matchesGlob(name, glob))?.back === false;
}
