/** What `orrery apply` publishes: workflow files, the files of a folder, standard input, and modules that export workflows. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { InvalidInput } from '@orrery/core/errors';
import { isWorkflow } from '@orrery/sdk';

/** The text of a workflow file, and how messages call it. */
export interface Source {
  readonly file: string;
  readonly text: string;
  /** Made from a module: places in the text mean nothing to whoever wrote the module. */
  readonly made: boolean;
}

const modules = /\.[cm]?[jt]s$/;
/** Of a folder: code that is there for another purpose is not run. */
const inFolder = /\.(ya?ml|json)$|\.workflow\.[cm]?[jt]s$/;

/** Files as they are; of a folder its workflow files; `-` is standard input. */
export async function readSources(paths: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    if (path === '-') sources.push(sourceOf('<stdin>', await text(process.stdin)));
    else
      for (const file of await filesOf(path)) {
        if (modules.test(file)) sources.push(...(await sourcesOfModule(file)));
        else sources.push(sourceOf(file, await readFile(file, 'utf8')));
      }
  }
  return sources;
}

function sourceOf(file: string, text: string): Source {
  if (text.trim() === '') throw new InvalidInput('is empty; a workflow has a name and tasks', file);
  return { file, text, made: false };
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new InvalidInput(`there is no file or folder ${path}`);
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => inFolder.test(name)).sort();
  if (names.length === 0)
    throw new InvalidInput(`folder ${path} has no .yaml, .yml, .json or .workflow.ts file`);
  return names.map((name) => join(path, name));
}

/** Every workflow that a module exports, alone or in a list. */
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
    file: `${file} (${each.ref})`,
    text: JSON.stringify(each),
    made: true,
  }));
}
