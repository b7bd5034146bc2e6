/**
 * How many tasks of a draft differ from the live version. A draft is read once after each save. One request
 * reads only a few, so that a list with many drafts stays fast, and leaves the rest to later requests.
 */
import type { ListedWorkflow, ShortDraft, Store } from '@orrery/store';
import { compareVersions } from './compare.ts';
import { parseFile } from './work.ts';

/** Letters of drafts that one request reads: some tens of milliseconds. A draft that is longer is not counted at all. */
const READ_AT_ONCE = 32 * 1024;

/** Drafts that one request asks for. */
const MOST_ASKED = 20;

/** Answers that are kept; the oldest go first. */
const MOST_KEPT = 10_000;

/** The answers of one store. */
class DraftsAhead {
  private readonly store: Store;
  private readonly known = new Map<string, number | null>();

  constructor(store: Store) {
    this.store = store;
  }

  /** Maps each workflow to its number of changed tasks; null if that is not known, or not yet. */
  async read(rows: readonly ListedWorkflow[]): Promise<(row: ListedWorkflow) => number | null> {
    const missing = rows
      .filter(({ live, draftRevision }) => live !== null && draftRevision !== null)
      .filter((row) => !this.known.has(keyOf(row)))
      .slice(0, MOST_ASKED);
    if (missing.length > 0) await this.count(missing);
    return (row) => this.known.get(keyOf(row)) ?? null;
  }

  private async count(rows: readonly ListedWorkflow[]): Promise<void> {
    const workflows = rows.map(({ id }) => id);
    const drafts = await this.store.readShortDrafts({ workflows, most: READ_AT_ONCE });
    const short = new Set(drafts.map(({ workflow }) => workflow));
    for (const row of rows) if (!short.has(row.id)) this.keep(keyOf(row), null);
    let letters = 0;
    for (const draft of drafts) {
      letters += draft.text.length;
      if (letters > READ_AT_ONCE) break;
      const { workflow: id, revision: draftRevision, live } = draft;
      this.keep(keyOf({ id, draftRevision, live }), await tasksAhead(draft));
    }
  }

  private keep(key: string, ahead: number | null): void {
    this.known.set(key, ahead);
    if (this.known.size > MOST_KEPT)
      for (const oldest of this.known.keys()) {
        this.known.delete(oldest);
        break;
      }
  }
}

/** The number of tasks that differ from the live version; null if the text is not a workflow yet. */
async function tasksAhead({ text, before }: ShortDraft): Promise<number | null> {
  const { workflows, problems } = await parseFile(text);
  const [after] = workflows;
  if (problems.length > 0 || workflows.length !== 1) return null;
  const { tasks, edges } = compareVersions(before, after);
  const moved = [...edges.added, ...edges.removed].map(({ to }) => to);
  return new Set([...tasks.added, ...tasks.removed, ...tasks.changed.map(({ name }) => name), ...moved]).size;
}

function keyOf({ id, draftRevision, live }: Pick<ListedWorkflow, 'id' | 'draftRevision' | 'live'>): string {
  return `${id}.${draftRevision}.${live}`;
}

const all = new WeakMap<Store, DraftsAhead>();

/** Those of a store, kept while it is open. */
export function draftsAheadOf(store: Store): DraftsAhead {
  const known = all.get(store) ?? new DraftsAhead(store);
  all.set(store, known);
  return known;
}
