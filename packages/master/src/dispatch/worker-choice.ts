/**
 * Which worker a new attempt is meant for, where its group chooses (`least-loaded`, `weighted`, `sticky`). The choice is
 * a wish: it only sets the target, a worker without room is never chosen, and the store lets anyone take what the
 * chosen one does not take at once. Groups that do not choose cost a look at the settings once a second.
 */
import { type ChoiceMemory, chooseWorker, type WorkerLoad } from '@orrery/core/queue';
import type { ReadyRow, RunChange, Store, WorkerChoiceRow, WorkerUseRow } from '@orrery/store';
import type { Context } from '../ports.ts';

/** How long settings of groups are good for. */
const SETTINGS_LAST = 1_000;

type Choosing = Omit<WorkerChoiceRow, 'choose'> & {
  readonly choose: Exclude<WorkerChoiceRow['choose'], 'queue'>;
};

export class WorkerChoices {
  private readonly context: Pick<Context, 'store' | 'clock'>;
  private choosing: ReadonlyMap<string, Choosing> = new Map();
  private readUntil = Number.NEGATIVE_INFINITY;
  /** What each group remembers from one choice to the next. */
  private readonly memories = new Map<string, ChoiceMemory>();

  constructor(context: Pick<Context, 'store' | 'clock'>) {
    this.context = context;
  }

  /** The changes with a target for each attempt that a group chooses a worker for; the same where there is none. */
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
      // Between equals, the same for the same attempt, whoever chooses.
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

/** How busy workers are, with what is chosen for them counted as it is chosen. */
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

/** What a worker said of its machine; of one that has not beaten yet nothing is known. */
function machineUse(load: string): { cpu: number; memory: number } {
  const { cpu = 0, memory = 0 } = JSON.parse(load) as { cpu?: number; memory?: number };
  return { cpu, memory };
}
