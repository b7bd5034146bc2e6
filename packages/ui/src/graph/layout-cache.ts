/**
 * Layouts by the name of their structure, kept in the browser: a workflow's second run opens at once. A cache
 * only: where the browser keeps nothing (private windows, a full disk), everything works and is laid out again.
 */
import type { Layout } from './layout.ts';

const DATABASE = 'orrery-layouts';
const TABLE = 'layouts';
/** What a layout is: another one for whatever changes of it, of the boxes, or of how the library is asked. */
const FORMAT = 1;
/** Layouts kept at most; the oldest go first. */
const KEPT = 200;

interface KeptLayout {
  readonly layout: Layout;
  readonly at: number;
}

/** The kept layout of a structure, if there is one. */
export async function readLayout(hash: string): Promise<Layout | undefined> {
  try {
    const kept = await request<KeptLayout | undefined>('readonly', (table) => table.get(keyOf(hash)));
    return kept?.layout;
  } catch {
    return undefined;
  }
}

/** Keeps a layout. */
export async function keepLayout(hash: string, layout: Layout): Promise<void> {
  try {
    const kept: KeptLayout = { layout, at: Date.now() };
    await request('readwrite', (table) => table.put(kept, keyOf(hash)));
    const count = await request('readonly', (table) => table.count());
    if (count > KEPT) await dropOldest(count - KEPT);
  } catch {
    // Not kept: it is laid out again next time.
  }
}

/** Builds of the console with other formats take no notice of each other's layouts. */
function keyOf(hash: string): string {
  return `${FORMAT}:${hash}`;
}

async function dropOldest(count: number): Promise<void> {
  const table = (await opened).transaction(TABLE, 'readwrite').objectStore(TABLE);
  const cursor = table.index('at').openCursor();
  let left = count;
  cursor.onsuccess = () => {
    if (!cursor.result || left-- <= 0) return;
    cursor.result.delete();
    cursor.result.continue();
  };
}

async function request<T>(
  mode: IDBTransactionMode,
  ask: (table: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return settled(ask((await opened).transaction(TABLE, mode).objectStore(TABLE)));
}

/** Opened with the first page that draws graphs, while its answers are still under way: that takes as long as they do. */
const opened = open();
opened.catch(() => {});

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(DATABASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(TABLE).createIndex('at', 'at');
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
    asked.onblocked = () => reject(new Error('the database of layouts is in use'));
  });
}

function settled<T>(asked: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}
