/**
 * Sends the writes of one client in groups, one group at a time: writes requested during a group share the next
 * statement, and with it one commit, one lock on `head` and one signal to the listeners. A refused step undoes its
 * whole group, which is then sent again in halves, so that only the refused write fails.
 */
import type { Operation } from '../registry.ts';

/** Writes of one statement. */
const MOST = 50;

/** One transaction of the registry, as `apply` takes it. */
export interface GroupedWrite {
  readonly operations: readonly Operation[];
  readonly values: readonly string[];
}

interface Waiting<Result> extends GroupedWrite {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How groups are sent. */
export interface GroupCommitPorts<Result> {
  /** Applies all writes or none; one result for each. */
  readonly send: (group: readonly GroupedWrite[]) => Promise<readonly Result[]>;
  /** Whether the server refused a step, so that the writes beside it can be made. */
  readonly isRefusal: (error: unknown) => boolean;
}

export class GroupCommit<Result> {
  readonly #ports: GroupCommitPorts<Result>;
  #waiting: Waiting<Result>[] = [];
  #isSending = false;

  constructor(ports: GroupCommitPorts<Result>) {
    this.#ports = ports;
  }

  write(write: GroupedWrite): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...write, resolve, reject });
      void this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, MOST));
    this.#isSending = false;
  }

  async #send(group: readonly Waiting<Result>[]): Promise<void> {
    try {
      const results = await this.#ports.send(group);
      for (const [k, { resolve }] of group.entries()) resolve(results[k]);
    } catch (error) {
      if (group.length === 1 || !this.#ports.isRefusal(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      const half = Math.ceil(group.length / 2);
      await this.#send(group.slice(0, half));
      await this.#send(group.slice(half));
    }
  }
}
