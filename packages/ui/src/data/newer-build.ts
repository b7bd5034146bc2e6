/**
 * Files of this build that are loaded when they are needed. Where one cannot be, the server is away or has a newer build:
 * as soon as it answers the file is asked for again, and where it is gone the page is loaded again at the address one wanted
 * to go to; but only once for a file, until it comes, should it be missing there too, and never for someone who has gone
 * elsewhere meanwhile, and may have typed something there.
 */
import { base } from './client.ts';

/** The script that this page was started with; its name changes with its content, and with that of all it loads. */
export const ownBuild = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? '';

const RELOADED = 'orrery.reloaded ';
const LOOK_EVERY = 1_000;

/** Loads a file, by a name that is its own; waits for the server where it has to, and throws where that has not helped. */
export async function loadFile<T>(name: string, load: () => Promise<T>): Promise<T> {
  const wantedAt = location.pathname;
  const loadUnmarked = async () => {
    const loaded = await load();
    setMark(name, null);
    return loaded;
  };
  try {
    return await loadUnmarked();
  } catch (error) {
    if (wasReloaded(name)) throw error;
    while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
    return loadUnmarked().catch(() => {
      if (location.pathname !== wantedAt || !setMark(name, ownBuild)) throw error;
      location.reload();
      return new Promise<never>(() => {});
    });
  }
}

function wasReloaded(name: string): boolean {
  try {
    return sessionStorage.getItem(RELOADED + name) === ownBuild;
  } catch {
    return false;
  }
}

/** False where the browser keeps nothing for the page: nobody could tell then whether loading it again has helped. */
function setMark(name: string, build: string | null): boolean {
  try {
    if (build === null) sessionStorage.removeItem(RELOADED + name);
    else sessionStorage.setItem(RELOADED + name, build);
    return true;
  } catch {
    return false;
  }
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch(`${base}/api/v1/ready`, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
