/**
 * Files of this build that are loaded when they are needed. Where one cannot be, the server is away or has a newer build:
 * as soon as it answers, the page is loaded anew at the address one wanted to go to; but only once for a file, until it
 * comes, should it be missing there too.
 */
import { base } from './client.ts';

/** The script that this page was started with; its name changes with its content, and with that of all it loads. */
export const ownBuild = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? '';

const RELOADED = 'orrery.reloaded';
const LOOK_EVERY = 1_000;

/** Loads a file, by a name that is its own; waits for the server where it has to, and throws where that has not helped. */
export async function loadFile<T>(name: string, load: () => Promise<T>): Promise<T> {
  const mark = `${RELOADED} ${name}`;
  try {
    const loaded = await load();
    sessionStorage.removeItem(mark);
    return loaded;
  } catch (error) {
    if (sessionStorage.getItem(mark) === ownBuild) throw error;
    while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
    sessionStorage.setItem(mark, ownBuild);
    location.reload();
    return new Promise<never>(() => {});
  }
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch(`${base}/api/v1/health`, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
