/**
 * Hints to masters: what a node tells them about the store between two looks of their own. For each master one call is
 * under way at a time; what comes meanwhile goes together with the next. Hints may be lost, so nothing is tried again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hint } from '../frames.ts';
import { Masters } from '../generated/orrery/v1/masters_pb.ts';
import { attemptMessage } from '../messages.ts';
import { Connections } from './client.ts';
import type { NetworkOptions } from './options.ts';

/** Between two hints to one master: a busy node must not keep the others from their work. */
const PAUSE = 10;

/** A master that does not answer in this time sees for itself. */
const PATIENCE = 1_000;

/** More attempts than these are killed with the next beats of their workers. */
const MOST_KILLS = 10_000;

/** Tells the masters at these addresses, each as soon as it can hear. */
export type TellMasters = (addresses: readonly string[], hint: Hint) => void;

/** Makes what tells. */
export function hintMasters(options: NetworkOptions): TellMasters {
  const connections = new Connections(Masters, options);
  /** What waits for each master that is being told something. */
  const waiting = new Map<string, Hint>();

  const tell = async (address: string): Promise<void> => {
    for (let hint = waiting.get(address); hint; hint = waiting.get(address)) {
      waiting.set(address, {});
      const { kill = [], ...about } = hint;
      const message = { ...about, kill: kill.map(attemptMessage) };
      try {
        await connections.to(address).hint(message, { timeoutMs: PATIENCE });
      } catch {
        // It sees for itself; also one whose address is none.
      }
      await sleep(PAUSE, undefined, { ref: false });
      if (isEmpty(waiting.get(address))) waiting.delete(address);
    }
  };

  return (addresses, hint) => {
    for (const address of addresses) {
      const before = waiting.get(address);
      waiting.set(address, before ? merged(before, hint) : hint);
      if (!before) void tell(address);
    }
  };
}

function isEmpty(hint: Hint | undefined): boolean {
  return hint === undefined || Object.keys(hint).length === 0;
}

function merged(one: Hint, other: Hint): Hint {
  const kill = [...(one.kill ?? []), ...(other.kill ?? [])].slice(0, MOST_KILLS);
  return { ...one, ...other, ...(kill.length > 0 && { kill }) };
}
