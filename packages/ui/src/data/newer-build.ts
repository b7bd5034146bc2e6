/**
 * What to do when a file of this build cannot be loaded: the server is away, or it has a newer build. As soon as it
 * answers, the page is loaded anew at the address one wanted to go to; but only once, should the file be missing there too.
 */
import { base } from './client.ts';

const RELOADED = 'orrery.reloaded';
const LOOK_EVERY = 1_000;

/** Waits for the server and loads the page anew; throws the error if that has not helped before. */
export async function loadNewerBuild(error: unknown): Promise<never> {
  const own = import.meta.url;
  if (sessionStorage.getItem(RELOADED) === own) throw error;
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  sessionStorage.setItem(RELOADED, own);
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
