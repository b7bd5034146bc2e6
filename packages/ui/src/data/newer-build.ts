/**
 * Loads files of this build on demand. If a file fails to load, the server is away or has a newer build. As
 * soon as the server answers, the file is requested again; if it is gone, the page is reloaded at the address
 * of the navigation. That happens only once per file until it loads, in case the new build lacks it too, and
 * never after the user has gone elsewhere, where typed text could be lost.
 */
import { base } from './client.ts';

/**
 * The script that started this page; its name changes with its content and with that of all files it loads.
 */
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

/** False if the browser denies the page storage: it could not tell then whether a reload has helped. */
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
