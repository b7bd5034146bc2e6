/**
 * Hints to masters: changes in the store that a master would otherwise see only at its next poll. Each master
 * has one call in flight; hints during a call are coalesced into the next. Hints may be lost, so nothing is
 * retried.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hint } from '../frames.ts';
import { Masters } from '../generated/orrery/v1/masters_pb.ts';
import { attemptMessage } from '../messages.ts';
import { Connections } from './client.ts';
import type { NetworkOptions } from './options.ts';

/**
 * Pause between two hints to one master, in milliseconds: a busy node must not keep the others from their
 * work.
 */
const PAUSE = 10;

/** Call timeout in milliseconds; a master that does not answer polls the store anyway. */
const PATIENCE = 1_000;

/** Limit of attempts killed by a hint; further ones are killed with the next beats of their workers. */
const MOST_KILLS = 10_000;

/** Sends a hint to the masters at these addresses, each as soon as it can receive one. */
export type TellMasters = (addresses: readonly string[], hint: Hint) => void;

/** Makes the function that sends hints. */
export function hintMasters(options: NetworkOptions): TellMasters {
  const connections = new Connections(Masters, options);
  /** Hints waiting for masters with a call in flight. */
  const waiting = new Map<string, Hint>();

  const tell = async (address: string): Promise<void> => {
    for (let hint = waiting.get(address); hint; hint = waiting.get(address)) {
      waiting.set(address, {});
      const { kill = [], ...about } = hint;
      const message = { ...about, kill: kill.map(attemptMessage) };
      try {
        await connections.to(address).hint(message, { timeoutMs: PATIENCE });
      } catch {
        // The master polls by itself. This also covers invalid addresses.
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
