/** The parts of a process that must work, each with the reason when it does not: what `/health` and `/ready` answer. */
import type { Clock } from '@orrery/core/timing';
import type { Store } from '@orrery/store';
import { isMaster, masterState } from '../nodes.ts';
import { timeText } from '../time.ts';

/** A part, and its problem. */
export interface HealthPart {
  readonly name: 'store' | 'master' | 'disk' | 'worker';
  readonly problem?: string;
}

/** What a process can tell of itself beside its store. */
export type OwnParts = () => Promise<readonly HealthPart[]>;

/** The inputs of the health check. */
export interface HealthOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The node of this process: its beats show that the store can be written. */
  readonly node?: string;
  /** The last error of the store. */
  readonly lastError?: () => string | undefined;
}

/** Masters beat every second, other nodes every two; this long without a beat is more than a slow disk. */
const BEAT_OVERDUE = 5_000;
/** A store that takes longer to answer counts as away. */
const ANSWER_WITHIN = 2_000;

/** Whether the store can be read and written, and whether a master is alive. */
export async function clusterParts(options: HealthOptions): Promise<HealthPart[]> {
  const { store, clock, node, lastError } = options;
  let nodes: Awaited<ReturnType<Store['listNodes']>>;
  try {
    nodes = await inTime(clock, store.listNodes());
  } catch (error) {
    return [{ name: 'store', problem: (error as Error).message }];
  }
  const now = clock.now();
  const live = nodes.filter(({ fenced }) => fenced === 0);
  const own =
    node === undefined ? (store.dialect === 'sqlite' ? live : []) : live.filter(({ id }) => id === node);
  const beatAt = Math.max(...own.map((each) => each.beatAt));
  // A full or read-only store can still be read, so the beat decides.
  const overdue = own.length > 0 && now - beatAt > BEAT_OVERDUE;
  const why = lastError?.();
  const problem = `the database has not been written since ${timeText(overdue ? beatAt : now)}${why ? `: ${why}` : ''}`;
  const alive =
    nodes.length === 0 || nodes.some((each) => isMaster(each) && masterState(each, now) === 'alive');
  return [
    { name: 'store', ...(overdue && { problem }) },
    // An embedded store that cannot be written is reported above; its master is in this process and alive.
    { name: 'master', ...(!alive && !overdue && { problem: 'no master is alive' }) },
  ];
}

/** The answer, or an error when it takes too long. */
export async function inTime<T>(clock: Clock, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`the database does not answer within ${ANSWER_WITHIN / 1_000} s`));
  const timer = clock.setTimer(ANSWER_WITHIN, late);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    timer.cancel();
  }
}
