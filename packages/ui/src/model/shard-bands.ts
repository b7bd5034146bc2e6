/**
 * The shards of a large job as bands: one for each instance, with as many cells as the eye can distinguish.
 */

/** The state of a shard. */
export interface BandShard {
  readonly shard: number;
  readonly parameter: string;
  readonly owner: string | null;
  readonly runner: string | null;
  readonly state: string;
}

/** A row: the shards that one instance owns, and those it runs for others. */
export interface Band {
  /** The instance; null for shards without an owner. */
  readonly holder: string | null;
  /** Whether the instance is there. */
  readonly isLive: boolean;
  /** Shards it owns. */
  readonly count: number;
  readonly running: number;
  /** Its shards that no instance can run now. */
  readonly stuck: number;
  /** Neighbours in the same state, in cells. */
  readonly parts: readonly { readonly state: string; readonly from: number; readonly to: number }[];
}

/** Cells of a band at most. */
export const BAND_CELLS = 240;

/** A cell of several shards shows the most urgent of their states. */
const ranks = ['ready', 'disabled', 'running', 'unassigned', 'orphan', 'crashed'];
const stuckStates = new Set(['unassigned', 'orphan', 'crashed']);

/** The bands: live instances in their order, then lost owners, then shards without an owner. */
export function shardBands(shards: readonly BandShard[], instances: readonly string[]): Band[] {
  const live = new Set(instances);
  const rows = new Map<
    string | null,
    { count: number; running: number; stuck: number; cells: Map<number, string> }
  >();
  const rowOf = (holder: string | null) => {
    const known = rows.get(holder);
    if (known) return known;
    const made = { count: 0, running: 0, stuck: 0, cells: new Map<number, string>() };
    rows.set(holder, made);
    return made;
  };
  for (const id of instances) rowOf(id);
  const cellOf = (shard: number) => Math.floor((shard * bandCells(shards.length)) / shards.length);
  const paint = (cells: Map<number, string>, shard: number, state: string) => {
    const cell = cellOf(shard);
    const now = cells.get(cell);
    if (now === undefined || ranks.indexOf(state) > ranks.indexOf(now)) cells.set(cell, state);
  };
  for (const { shard, owner, runner, state } of shards) {
    const own = rowOf(owner);
    own.count++;
    if (stuckStates.has(state)) own.stuck++;
    paint(own.cells, shard, runner !== null && runner !== owner ? 'ready' : state);
    if (runner === null) continue;
    const by = rowOf(runner);
    by.running++;
    paint(by.cells, shard, 'running');
  }
  return [...rows]
    .map(([holder, { cells, ...counts }]) => ({
      holder,
      isLive: holder !== null && live.has(holder),
      ...counts,
      parts: merged(cells),
    }))
    .sort(
      (a, b) => Number(b.isLive) - Number(a.isLive) || Number(b.holder !== null) - Number(a.holder !== null),
    );
}

/** The cells of a band for this many shards. */
export function bandCells(shards: number): number {
  return Math.min(BAND_CELLS, shards);
}

function merged(cells: ReadonlyMap<number, string>): Band['parts'] {
  const parts: { state: string; from: number; to: number }[] = [];
  for (const [cell, state] of [...cells].sort(([a], [b]) => a - b)) {
    const last = parts.at(-1);
    if (last?.to === cell && last.state === state) last.to = cell + 1;
    else parts.push({ state, from: cell, to: cell + 1 });
  }
  return parts;
}

/** Whether a shard is one that is looked for: by number, range, state, instance or a part of its parameter. */
export function isShardSought(
  { shard, parameter, owner, runner, state }: BandShard,
  sought: string,
): boolean {
  if (sought === '' || sought === String(shard) || sought === state) return true;
  if (sought === owner || sought === runner || (sought === 'unassigned' && owner === null)) return true;
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(sought);
  if (range && shard >= Number(range[1]) && shard <= Number(range[2])) return true;
  return parameter !== '' && parameter.includes(sought);
}
