/**
 * What to do when a file of this build cannot be loaded: the server is away, or it has a newer build. As soon as it
 * answers, the page is loaded anew at the address one wanted to go to; but only once, should the file be missing there too.
 */
import { base } from './client.ts';

/** The script that this page was started with; its name changes with its content, and with that of all it loads. */
export const ownBuild = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? '';

const RELOADED = 'orrery.reloaded';
const LOOK_EVERY = 1_000;

/** Waits for the server and loads the page anew; throws the error if that has not helped before. */
export async function loadNewerBuild(error: unknown): Promise<never> {
  if (sessionStorage.getItem(RELOADED) === ownBuild) throw error;
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  sessionStorage.setItem(RELOADED, ownBuild);
  location.reload();
  return new Promise<never>(() => {});
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch(`${base}/api/v1/health`, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
