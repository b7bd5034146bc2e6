/** Drivers that not everybody needs: loaded when first used, from the worker's code folder or from beside Orrery. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TaskFailure } from '@orrery/worker/plugin';
import { connectionKinds } from './kinds.ts';

/** Loads a package. A missing one is a fatal failure that names what to install and where. */
export async function loadDriver<Module>(name: string, codeFolder: string): Promise<Module> {
  const path = pathOf(name, codeFolder);
  if (path !== undefined) return (await import(pathToFileURL(path).href)) as Module;
  throw new TaskFailure(`this worker has no package ${name}; in ${codeFolder} run: npm install ${name}`, {
    fatal: true,
  });
}

/** The kinds of connections that tasks can use with this code folder, in one line. */
export function usableKinds(codeFolder: string): string {
  const missing = missingDrivers(codeFolder);
  const list = missing.map(({ kind, driver }) => `${kind} (npm install ${driver})`).join(', ');
  return missing.length === 0 ? 'all kinds' : `all kinds but ${list}, in ${codeFolder}`;
}

/** Those whose package is missing, each with the package. */
function missingDrivers(codeFolder: string): { readonly kind: string; readonly driver: string }[] {
  return [...connectionKinds.values()].flatMap(({ name: kind, driver }) =>
    driver === undefined || pathOf(driver, codeFolder) !== undefined ? [] : [{ kind, driver }],
  );
}

function pathOf(name: string, codeFolder: string): string | undefined {
  const places = [pathToFileURL(join(codeFolder, 'package.json')).href, import.meta.url];
  return places.map((from) => resolved(name, from)).find((path) => path !== undefined);
}

function resolved(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
