/**
 * A whole engine in this process, as `orrery dev` composes it, but without the API: a store, a master and a
 * worker. Their frames are observed, so that the end of a run is seen at its commit.
 */
import { StoreClock } from '@orrery/cluster';
import { type Clock, realClock } from '@orrery/core/timing';
import { Master, masterDefaults } from '@orrery/master';
import type { Store } from '@orrery/store';
import type { Channel } from '@orrery/wire/channel';
import type { MasterFrame, WorkerFrame } from '@orrery/wire/frames';
import { channelPair } from '@orrery/wire/in-process';
import { startWorker } from '@orrery/worker';
import { withFolder } from './databases.ts';

/** Attempts the worker runs at once. */
export const slots = 500;

/** A running engine. */
export interface Engine {
  readonly store: Store;
  /** Tells the master that there are commands. */
  hint(): void;
  /** Settles with the time when this many more attempts have begun. */
  begun(count: number): Promise<number>;
  /** Settles with the time when the outcomes of this many more attempts are committed, and with them the ends of runs. */
  committed(count: number): Promise<number>;
}

const clock: Clock = realClock({
  now: Date.now,
  monotonic: () => performance.now(),
  setTimeout,
  clearTimeout,
});

/** Calls `work` with a running engine and stops it. */
export function withEngine<T>(store: Store, work: (engine: Engine) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const name = 'bench';
    const begun = counter();
    const committed = counter();
    let stopping = false;
    const log = (level: string, text: string) => {
      if (level !== 'info' && !stopping) console.error(`${level}: ${text}`);
    };
    const master = await Master.start(
      { ...masterDefaults, id: name, address: name },
      { clock: new StoreClock(clock), store, log },
    );
    const heard = (frame: MasterFrame) => {
      if (frame.type === 'give') begun.add(frame.assignments.length);
      if (frame.type === 'acknowledge') committed.add(frame.attempts.length);
    };
    const connect = () => {
      const [mine, its] = channelPair<WorkerFrame, MasterFrame>((delivery) => queueMicrotask(delivery));
      master.accept(its);
      return listened(mine, heard);
    };
    const worker = await startWorker({ name, masters: [name], folder, slots }, { clock, connect, log });
    try {
      return await work({
        store,
        hint: () => master.hint(),
        begun: (count) => begun.more(count),
        committed: (count) => committed.more(count),
      });
    } finally {
      stopping = true;
      await worker.stop({ grace: 0 });
      await master.stop();
    }
  });
}

/** Counts up; tells when it has counted some more than it was last asked for. */
function counter() {
  let count = 0;
  let last = performance.now();
  let wanted = 0;
  let reached: ((time: number) => void) | undefined;
  const look = () => {
    if (count >= wanted) reached?.(last);
  };
  return {
    add(more: number): void {
      count += more;
      last = performance.now();
      look();
    },
    more(more: number): Promise<number> {
      wanted += more;
      return new Promise((resolve) => {
        reached = resolve;
        look();
      });
    },
  };
}

/** The worker's end of a channel; `heard` is called when the worker has dealt with a frame. */
function listened(
  channel: Channel<WorkerFrame, MasterFrame>,
  heard: (frame: MasterFrame) => void,
): Channel<WorkerFrame, MasterFrame> {
  return {
    confidential: true,
    send: (frame) => channel.send(frame),
    drained: () => channel.drained(),
    onFrame: (listener) =>
      channel.onFrame((frame) => {
        listener(frame);
        heard(frame);
      }),
    onClose: (listener) => channel.onClose(listener),
    close: (reason) => channel.close(reason),
  };
}
