/** Drafts that the server does not have yet, in the browser: a crash loses nothing that was typed. */
import { browserTable, dropOldest } from '../../data/browser-table.ts';
import type { KeptDraft } from './draft-keeper.ts';

const MOST = 50;
const drafts = browserTable('orrery-drafts', 'drafts');
/** Drafts of this page that stand in the table already: only a further one can be one too many. */
const own = new Set<string>();

export async function readKept(name: string): Promise<KeptDraft | undefined> {
  try {
    return await drafts.ask<KeptDraft | undefined>('readonly', (table) => table.get(name));
  } catch {
    return undefined;
  }
}

/** Keeps a draft, or forgets it. */
export async function keepDraft(name: string, draft: KeptDraft | null): Promise<void> {
  try {
    if (draft === null) {
      own.delete(name);
      await drafts.ask('readwrite', (table) => table.delete(name));
    } else {
      await drafts.ask('readwrite', (table) => table.put(draft, name));
      if (!own.has(name)) await dropOldest(drafts, MOST);
      own.add(name);
    }
  } catch {
    // The browser keeps nothing; the server has it two seconds later.
  }
}
