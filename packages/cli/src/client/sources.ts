/** What `orrery apply` publishes and `orrery check` checks: workflow files, the files of a folder, standard input, and modules that export workflows. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { InvalidInput } from '@orrery/core/errors';
import { isWorkflow } from '@orrery/sdk';
import { filesOfFolder, saysAlerts } from './folder-files.ts';
import { faint } from './output.ts';

/** The text of a workflow or alert file, and how messages call it. */
export interface Source {
  readonly kind: 'workflow' | 'alerts';
  readonly file: string;
  readonly text: string;
  /** Built from a module: places in the text mean nothing to the module's author. */
  readonly made: boolean;
  /** The module that it was made from. */
  readonly module?: string;
}

const modules = /\.[cm]?[jt]s$/;

/** What paths lead to. */
export interface Sources {
  readonly sources: readonly Source[];
  /** Files of folders that do not say they are workflows. */
  readonly others: readonly string[];
}

/** Reads files, the workflow files of a folder, or standard input for `-`. */
export async function readSources(paths: readonly string[]): Promise<Sources> {
  const sources: Source[] = [];
  const others: string[] = [];
  for (const path of paths) {
    if (path === '-') {
      sources.push(sourceOf('<stdin>', await text(process.stdin)));
      continue;
    }
    const found = await filesOf(path);
    others.push(...found.others);
    for (const file of found.taken) {
      if (modules.test(file)) sources.push(...(await sourcesOfModule(file)));
      else sources.push(sourceOf(file, await readFile(file, 'utf8')));
    }
  }
  return { sources, others };
}

/** Lists the ignored files of folders with the reason: one may be a workflow with a misspelt key. */
export function tellOthers(others: readonly string[]): void {
  if (others.length === 0) return;
  console.error(
    faint(`left out, by the keys at the top neither a workflow nor an alert file: ${others.join(', ')}`),
  );
}

/** Two sources that publish the same workflow would replace each other at every apply. */
export function refuseTwice(
  workflows: readonly { readonly project: string; readonly name: string; readonly file: string }[],
): void {
  const seen = new Map<string, string>();
  for (const { project, name, file } of workflows) {
    const other = seen.get(`${project}/${name}`);
    if (other !== undefined)
      throw new InvalidInput(`workflow ${project}/${name} stands in ${other} and in ${file}; keep one`);
    seen.set(`${project}/${name}`, file);
  }
}

function sourceOf(file: string, text: string): Source {
  if (text.trim() === '') throw new InvalidInput('is empty; a workflow has a name and tasks', file);
  return { kind: saysAlerts(text) ? 'alerts' : 'workflow', file, text, made: false };
}

async function filesOf(path: string): Promise<{ taken: readonly string[]; others: readonly string[] }> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new InvalidInput(`there is no file or folder ${path}`);
  if (!found.isDirectory()) return { taken: [path], others: [] };
  const files = await filesOfFolder(path);
  if (files.taken.length === 0)
    throw new InvalidInput(
      `folder ${path} has no workflow: no .yaml, .yml or .json file with "name" and "tasks", and no .workflow.ts`,
    );
  return files;
}

/** Every workflow that a module exports, directly or in a list. */
async function sourcesOfModule(file: string): Promise<Source[]> {
  let exported: object;
  try {
    exported = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new InvalidInput(`cannot be loaded: ${String(error).split('\n', 1)[0]}`, file);
  }
  // One that is exported under two names is one.
  const found = new Set(Object.values(exported).flat().filter(isWorkflow));
  if (found.size === 0)
    throw new InvalidInput(
      'exports no workflow; write: export const hello = workflow("hello").task(…)',
      file,
    );
  return [...found].map((each) => ({
    kind: 'workflow',
    file: `${file} (${each.ref})`,
    text: JSON.stringify(each),
    made: true,
    module: file,
  }));
}
