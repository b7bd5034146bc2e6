/**
 * Places with a name where a node can be killed: before and after an operation of a master's store, and between the
 * steps of a worker. A test arms one; the node that gets there for the n-th time, whichever it is, dies there.
 */
import type { Store } from '@orrery/store';
import type { Channel } from '@orrery/wire/channel';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import type { SimNode } from './sim-node.ts';

const operations = [
  'claimWork',
  'commitRuns',
  'take',
  'beatWorker',
  'recordElsewhere',
  'fence',
  'fireTicks',
  'loseWorker',
] as const satisfies readonly (keyof Store)[];

const AFTER_STARTS = 'after claimWork of starts';
/** Only reached when another master has died. */
export const AFTER_ORPHANS = 'after claimWork of orphans';

/** Where a master can be killed. After an operation: it did something, that is committed, and no answer comes. */
export const masterPoints = operations.flatMap((name) => [
  `before ${name}`,
  ...(name === 'claimWork' ? [AFTER_STARTS, AFTER_ORPHANS] : [`after ${name}`]),
]);

const TAKEN = 'after take received, before begun';
const EXECUTED = 'after execution, before report';
const REPORTED = 'after report sent, before acknowledge';

/** Where a worker can be killed. */
export const workerPoints = [TAKEN, EXECUTED, REPORTED];

/** A point and which time it kills: set -> armed -> reached. */
export class PausePoint {
  readonly name: string;
  readonly nth: number;
  private armed = false;
  /** How often nodes got there until one died. */
  hits = 0;

  constructor(name: string, nth: number) {
    this.name = name;
    this.nth = nth;
  }

  /** From now on it counts. */
  arm(): void {
    this.armed = true;
  }

  get isReached(): boolean {
    return this.hits === this.nth;
  }

  /** The store as a master reaches it: once the master is dead nothing is asked and no answer comes. */
  storeOf(store: Store, node: SimNode, die: () => void): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const operation = Reflect.get(target, name);
        if (typeof operation !== 'function' || name === 'close') return operation;
        return (...input: never[]) =>
          new Promise((resolve, reject) => {
            if (!node.crashed) this.pass(`before ${String(name)}`, die);
            if (node.crashed) return;
            operation(...input).then(
              (result: unknown) => {
                for (const point of doneBy(String(name), result)) if (!node.crashed) this.pass(point, die);
                node.deliver(() => resolve(result));
              },
              (error: unknown) => node.deliver(() => reject(error)),
            );
          });
      },
    });
  }

  /** A worker's end of its channel: once the worker is dead it sends nothing and hears nothing. */
  channelOf(
    channel: Channel<WorkerFrame, MasterFrame>,
    node: SimNode,
    die: () => void,
  ): Channel<WorkerFrame, MasterFrame> {
    return {
      confidential: true,
      send: (frame) => {
        if (frame.type === 'report' && !node.crashed) this.pass(EXECUTED, die);
        if (node.crashed) return true;
        const sent = channel.send(frame);
        if (frame.type === 'report') this.pass(REPORTED, die);
        return sent;
      },
      onFrame: (listener) =>
        channel.onFrame((frame) => {
          if (frame.type === 'give' && !node.crashed) this.pass(TAKEN, die);
          if (!node.crashed) listener(frame);
        }),
      drained: () => channel.drained(),
      onClose: (listener) => channel.onClose(listener),
      close: (reason) => channel.close(reason),
    };
  }

  /** A node gets to the place `name`: it dies if that is the armed one and this is the time. */
  private pass(name: string, die: () => void): void {
    if (name !== this.name || !this.armed || this.isReached) return;
    this.hits++;
    if (this.isReached) die();
  }
}

/** The places where an answer leaves a master: to die after an operation that did nothing is to die before it. */
function doneBy(name: string, answer: unknown): string[] {
  const { orphans, starts, assignments, given, fired, fenced, lost } = (answer ?? {}) as Partial<
    Record<string, unknown>
  >;
  const some = (list: unknown) => Array.isArray(list) && list.length > 0;
  // Most takes are answered by a commit.
  if (name === 'commitRuns' && Array.isArray(given) && given.some((it) => some(it.assignments)))
    return ['after commitRuns', 'after take'];
  if (name === 'claimWork')
    return [...(some(starts) ? [AFTER_STARTS] : []), ...(some(orphans) ? [AFTER_ORPHANS] : [])];
  const nothing = Array.isArray(assignments)
    ? assignments.length === 0
    : fired === false || fenced === false || lost === false;
  return nothing ? [] : [`after ${name}`];
}
