/** The row of a node that is no master: that it is there, so that people see it among the others. */
import type { Log } from '@orrery/master';
import { type Self, StaleEpoch, type Store } from '@orrery/store';
import { machineClock as clock } from './machine-clock.ts';

/** Well within the time after which a silent node is taken for gone. */
const BEAT_EVERY = 2_000;

/** Who is there. */
export interface PresentNode {
  readonly id: string;
  readonly roles: readonly string[];
  readonly address: string;
}

/** Joins and beats until stopped. A node that was taken for gone joins again: it holds nothing that others may need. */
export async function startPresence(
  store: Store,
  node: PresentNode,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const join = async (): Promise<Self> => {
    const { epoch } = await store.joinNode({ ...node, info: {}, now: clock.now() });
    return { node: node.id, epoch };
  };
  let self = await join();
  let stopped = false;
  const beat = async (): Promise<void> => {
    try {
      await store.beat({ self, now: clock.now() });
    } catch (error) {
      if (!(error instanceof StaleEpoch))
        log('warn', `the store does not answer: ${(error as Error).message}`);
      else self = await join().catch(() => self);
    }
    if (!stopped) timer = clock.setTimer(BEAT_EVERY, () => void beat());
  };
  let timer = clock.setTimer(BEAT_EVERY, () => void beat());
  return {
    async stop() {
      stopped = true;
      timer.cancel();
      await store.leaveNode({ self, now: clock.now() });
    },
  };
}
