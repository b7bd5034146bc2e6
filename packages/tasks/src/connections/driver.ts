/** Drivers that not everybody needs: loaded when first used, from the worker's code folder or from beside Orrery. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TaskFailure } from '@orrery/worker/plugin';

/** Loads a package; a missing one is a fatal failure that says what to install and where. */
export async function loadDriver<Module>(name: string, codeFolder: string): Promise<Module> {
  for (const from of [pathToFileURL(join(codeFolder, 'package.json')).href, import.meta.url]) {
    const path = resolved(name, from);
    if (path !== undefined) return (await import(pathToFileURL(path).href)) as Module;
  }
  throw new TaskFailure(`this worker has no package ${name}; in ${codeFolder} run: npm install ${name}`, {
    fatal: true,
  });
}

function resolved(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
