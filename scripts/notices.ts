/**
 * Notices of third-party code in the package: the console is built into it with all its imported packages,
 * and the server with a few. Packages that npm installs beside it bring their own notices.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** A package that is carried. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Where its source is. */
  readonly source: string;
  /** Its licence, as it brings it. */
  readonly text: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: string | { readonly url: string };
  readonly homepage?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** What the console is built of, by name: its dependencies and theirs. */
export function noticesOfConsole(): Notice[] {
  const found = new Map<string, Notice>();
  const walk = (folder: string) => {
    for (const name of Object.keys(manifestIn(folder).dependencies ?? {})) {
      const at = find(name, folder);
      if (name.startsWith('@orrery/')) walk(at);
      else if (!found.has(name)) {
        found.set(name, noticeOf(at));
        walk(at);
      }
    }
  };
  walk(join(root, 'packages', 'ui'));
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** Packages that the modules of the server are put together with (`bundle.ts`). */
export function noticesOf(names: readonly string[]): Notice[] {
  return names.map((name) => noticeOf(find(name, root)));
}

/** All of them as the file that ships. */
export function noticesText(notices: readonly Notice[]): string {
  const head = `Third-party notices\n\nThe console (ui/dist) and the server (chunks) contain the following packages, each under its own licence.\nThe source of each is at the address that is named with it.\n`;
  const each = notices.map(
    ({ name, version, license, source, text }) =>
      `${'='.repeat(80)}\n${name} ${version}\nLicence: ${license}\nSource: ${source}\n\n${text.trim()}\n`,
  );
  return [head, ...each].join('\n');
}

function noticeOf(folder: string): Notice {
  const { name, version, license, repository, homepage } = manifestIn(folder);
  const source = typeof repository === 'string' ? repository : (repository?.url ?? homepage);
  if (license === undefined || source === undefined)
    throw new Error(`${name} names no licence or no source; see to it by hand`);
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one));
  // A few packages of a larger repository leave the text to it.
  const text =
    file === undefined
      ? `(The package brings no text of ${license}.)`
      : readFileSync(join(folder, file), 'utf8');
  return { name, version, license, source: address(source), text };
}

/** The short forms that manifests may use all mean GitHub. */
function address(source: string): string {
  return source
    .replace(/^git\+/, '')
    .replace(/^(github:)?([\w.-]+\/[\w.-]+)$/, 'https://github.com/$2')
    .replace(/^git@github\.com:/, 'https://github.com/');
}

/** A package as Node finds it from a folder. */
function find(name: string, from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (at === dirname(at)) throw new Error(`${name} is not installed; run npm ci`);
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
