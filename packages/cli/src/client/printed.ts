/** Commands that are printed for people to copy: they work where this one worked, against the same server. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** How this program is called here: by its name where the shell finds it, else by npx. */
function programName(environment = process.env): string {
  // npm puts the commands of a project on the path of what it starts; the shell of the user has them not.
  if (environment.npm_execpath !== undefined) return 'npx orrery';
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const names = process.platform === 'win32' ? ['orrery.cmd', 'orrery.exe'] : ['orrery'];
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))))
    ? 'orrery'
    : 'npx orrery';
}

/** A whole line: `npx orrery runs show 2 --url http://127.0.0.1:7171`. A server from the environment is not named. */
export function printed(rest: string, { url }: { readonly url?: string } = {}): string {
  return `${programName()} ${rest}${url === undefined ? '' : ` --url ${url}`}`;
}
