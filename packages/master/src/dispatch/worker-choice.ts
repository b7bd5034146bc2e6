/**
 * Chooses the target worker of a new attempt in groups that choose (`least-loaded`, `weighted`, `sticky`).
 * The choice is a preference: it only sets the target, a worker without room is never chosen, and the store
 * lets any worker take an attempt its target does not take at once. Groups that do not choose cost one read
 * of the settings a second.
 */
import { type ChoiceMemory, chooseWorker, type WorkerLoad } from '@orrery/core/queue';
import type { ReadyRow, RunChange, Store, WorkerChoiceRow, WorkerUseRow } from '@orrery/store';
import type { Context } from '../ports.ts';

/** How long cached group settings are valid. */
const SETTINGS_LAST = 1_000;

type Choosing = Omit<WorkerChoiceRow, 'choose'> & {
  readonly choose: Exclude<WorkerChoiceRow['choose'], 'queue'>;
};

export class WorkerChoices {
  private readonly context: Pick<Context, 'store' | 'clock'>;
  private choosing: ReadonlyMap<string, Choosing> = new Map();
  private readUntil = Number.NEGATIVE_INFINITY;
  /** What each group remembers between choices. */
  private readonly memories = new Map<string, ChoiceMemory>();

  constructor(context: Pick<Context, 'store' | 'clock'>) {
    this.context = context;
  }

  /**
   * Returns the changes with a target for each attempt whose group chooses, or the same changes if no group
   * does.
   */
  async made(changes: readonly RunChange[]): Promise<readonly RunChange[]> {
    if (changes.every(({ enqueue }) => enqueue.length === 0)) return changes;
    const choosing = await this.settings();
    const isChosen = ({ workerGroup, target }: ReadyRow) => target === undefined && choosing.has(workerGroup);
    if (!changes.some(({ enqueue }) => enqueue.some(isChosen))) return changes;
    const loads = new Loads(await this.context.store.readWorkerUse());
    return changes.map((change) => ({
      ...change,
      enqueue: change.enqueue.map((row) => (isChosen(row) ? this.choose(row, choosing, loads) : row)),
    }));
  }

  private choose(row: ReadyRow, choosing: ReadonlyMap<string, Choosing>, loads: Loads): ReadyRow {
    const setting = choosing.get(row.workerGroup);
    if (!setting) return row;
    const { name, choose, weights } = setting;
    const workers = loads.of(name, weights).filter((worker) => worker.name !== row.avoid);
    const { worker, memory } = chooseWorker(
      choose,
      workers,
      this.memories.get(name) ?? {},
      // Breaks ties the same way on every master.
      (Math.imul(row.run + row.task + row.number, 0x9e3779b1) >>> 0) / 2 ** 32,
      `run ${row.run}`,
    );
    this.memories.set(name, memory);
    if (worker === undefined) return row;
    loads.add(worker);
    return { ...row, target: worker, wished: true };
  }

  private async settings(): Promise<ReadonlyMap<string, Choosing>> {
    const { store, clock } = this.context;
    const now = clock.monotonic();
    if (now < this.readUntil) return this.choosing;
    this.choosing = await readChoosing(store);
    this.readUntil = now + SETTINGS_LAST;
    for (const name of this.memories.keys()) if (!this.choosing.has(name)) this.memories.delete(name);
    return this.choosing;
  }
}

async function readChoosing(store: Pick<Store, 'listWorkerChoices'>): Promise<ReadonlyMap<string, Choosing>> {
  const found = await store.listWorkerChoices();
  return new Map(
    found.flatMap((one) => (one.choose === 'queue' ? [] : [[one.name, { ...one, choose: one.choose }]])),
  );
}

/** How busy workers are. Each choice adds to the load of its worker. */
class Loads {
  private readonly rows: readonly (WorkerUseRow & {
    readonly in: readonly string[];
    readonly cpu: number;
    readonly memory: number;
  })[];
  private readonly chosen = new Map<string, number>();

  constructor(rows: readonly WorkerUseRow[]) {
    this.rows = rows.map((row) => ({ ...row, in: JSON.parse(row.groups), ...machineUse(row.load) }));
  }

  of(group: string, weights: Readonly<Record<string, number>>): WorkerLoad[] {
    return this.rows
      .filter((row) => row.in.includes(group))
      .map(({ id, slots, used, cpu, memory }) => ({
        name: id,
        busy: false,
        slots,
        used: used + (this.chosen.get(id) ?? 0),
        weight: Object.hasOwn(weights, id) ? weights[id] : 1,
        cpu,
        memory,
      }));
  }

  add(worker: string): void {
    this.chosen.set(worker, (this.chosen.get(worker) ?? 0) + 1);
  }
}

/** The machine load a worker reported; unknown before its first beat. */
function machineUse(load: string): { cpu: number; memory: number } {
  const { cpu = 0, memory = 0 } = JSON.parse(load) as { cpu?: number; memory?: number };
  return { cpu, memory };
}
