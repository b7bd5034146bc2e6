/** A table of the browser's own database. Private windows and full disks have none: then every request fails. */

/** A table that opens on creation, which takes as long as the first answers do. */
export interface BrowserTable {
  ask<T>(mode: IDBTransactionMode, request: (table: IDBObjectStore) => IDBRequest<T>): Promise<T>;
}

/** Opens a table in a database of its own; rows have an `at`, by which the oldest are found. */
export function browserTable(database: string, name: string): BrowserTable {
  const opened = new Promise<IDBDatabase>((resolve, reject) => {
    const asked = indexedDB.open(database, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(name).createIndex('at', 'at');
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
    asked.onblocked = () => reject(new Error(`the database ${database} is in use`));
  });
  opened.catch(() => {});
  return {
    ask: async (mode, request) => {
      const asked = request((await opened).transaction(name, mode).objectStore(name));
      return new Promise((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
      });
    },
  };
}

/** Drops the rows that were put first, so that `kept` are left. */
export async function dropOldest({ ask }: BrowserTable, kept: number): Promise<void> {
  const count = await ask('readonly', (table) => table.count());
  if (count <= kept) return;
  const oldest = await ask('readonly', (table) => table.index('at').getAllKeys(null, count));
  // Keys of an index are those of its rows, in the order of the index.
  await Promise.all(
    oldest.slice(0, count - kept).map((key) => ask('readwrite', (table) => table.delete(key))),
  );
}
