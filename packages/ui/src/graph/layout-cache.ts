/**
 * Layouts by the name of their structure, kept in the browser: a workflow's second run opens at once. A cache
 * only: where the browser keeps nothing (private windows, a full disk), everything works and is laid out again.
 */
import { browserTable, dropOldest } from '../data/browser-table.ts';
import type { Layout } from './layout.ts';

/** The version of cached layouts: increase it when the layout, the boxes, or the library's options change. */
const FORMAT = 1;
/** Layouts kept at most; the oldest go first. */
const KEPT = 200;

interface KeptLayout {
  readonly layout: Layout;
  readonly at: number;
}

const layouts = browserTable('orrery-layouts', 'layouts');

/** The kept layout of a structure, if there is one. */
export async function readLayout(hash: string): Promise<Layout | undefined> {
  try {
    const kept = await layouts.ask<KeptLayout | undefined>('readonly', (table) => table.get(keyOf(hash)));
    return kept?.layout;
  } catch {
    return undefined;
  }
}

/** Keeps a layout. */
export async function keepLayout(hash: string, layout: Layout): Promise<void> {
  try {
    const kept: KeptLayout = { layout, at: Date.now() };
    await layouts.ask('readwrite', (table) => table.put(kept, keyOf(hash)));
    await dropOldest(layouts, KEPT);
  } catch {
    // Not kept: it is laid out again next time.
  }
}

/** Builds of the console with other formats take no notice of each other's layouts. */
function keyOf(hash: string): string {
  return `${FORMAT}:${hash}`;
}
