/**
 * Loads plugins: a package by its name, resolved from the worker's code folder, or a folder by its path. The
 * module exports `plugin`, or `plugins` for several.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidInput } from '@orrery/core/errors';
import type { Plugin } from './contract.ts';
import type { LoadedPlugin } from './registry.ts';

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u;
const ENTRIES = ['index.ts', 'index.mjs', 'index.js'];

/** Loads all plugins. The first failure stops it, with a message that names the plugin and the reason. */
export async function loadPlugins(sources: readonly string[], codeFolder: string): Promise<LoadedPlugin[]> {
  const loaded: LoadedPlugin[] = [];
  for (const source of sources) {
    const entry = entryOf(source, codeFolder);
    for (const plugin of pluginsOf(await load(entry, source), source)) loaded.push({ plugin, from: source });
  }
  return loaded;
}

async function load(entry: string, source: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(entry).href);
  } catch (error) {
    throw new InvalidInput(`cannot load ${entry}: ${String(error).split('\n', 1)[0]}`, `plugin ${source}`);
  }
}

function entryOf(source: string, codeFolder: string): string {
  const path = /^[./]/.test(source) ? resolve(codeFolder, source) : packageFolder(source, codeFolder);
  if (path === undefined || !existsSync(path))
    throw new InvalidInput(
      `not found from ${codeFolder}; give the name of an installed package or a path that begins with "." or "/"`,
      `plugin ${source}`,
    );
  if (!statSync(path).isDirectory()) return path;
  const entry = [mainOf(path), ...ENTRIES].find((name) => name !== undefined && existsSync(join(path, name)));
  if (entry === undefined)
    throw new InvalidInput(
      `${path} has neither a package.json with "exports" or "main", nor ${ENTRIES.join(', ')}`,
      `plugin ${source}`,
    );
  return join(path, entry);
}

function packageFolder(name: string, codeFolder: string): string | undefined {
  try {
    const found = findPackageJSON(name, pathToFileURL(join(codeFolder, 'package.json')));
    return found && dirname(found);
  } catch {
    return undefined;
  }
}

function mainOf(folder: string): string | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  const { exports, main } = JSON.parse(readFileSync(file, 'utf8'));
  return exported(exports?.['.'] ?? exports) ?? main;
}

function exported(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (target === null || typeof target !== 'object') return undefined;
  const { node, import: esm, default: other } = target as Record<string, unknown>;
  return exported(node) ?? exported(esm) ?? exported(other);
}

function pluginsOf(module: Record<string, unknown>, source: string): Plugin[] {
  const found = module.plugins ?? (module.plugin === undefined ? [] : [module.plugin]);
  if (!Array.isArray(found) || found.length === 0)
    throw new InvalidInput('its module exports neither "plugin" nor a list "plugins"', `plugin ${source}`);
  for (const [i, plugin] of found.entries()) {
    const wrong = wrongWith(plugin);
    if (wrong)
      throw new InvalidInput(`plugin ${i + 1} ${wrong}; make it with definePlugin`, `plugin ${source}`);
  }
  return found;
}

function wrongWith(plugin: Partial<Plugin> | undefined): string | undefined {
  if (!plugin || typeof plugin !== 'object') return 'is not an object';
  if (!NAME.test(plugin.name ?? '')) return 'has no "name" of letters, digits, "_", "-" and "."';
  if (typeof plugin.title !== 'string') return 'has no "title"';
  if (typeof plugin.description !== 'string') return 'has no "description"';
  if (typeof plugin.schema?.safeParse !== 'function') return 'has no Zod schema in "schema"';
  if ((typeof plugin.run === 'function') === (typeof plugin.poll === 'function'))
    return 'has not one function "run" or "poll"';
  return undefined;
}
