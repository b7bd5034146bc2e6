/**
 * One watch, on a stream of its own that reopens on each new connection. It continues after the last revision
 * it saw, so it misses nothing. If that revision was compacted meanwhile, it sends `resync` and continues
 * from now.
 */
import { Event_EventType, type WatchResponse } from '../generated/etcd/api_pb.ts';
import { isBelow } from '../path.ts';
import type { WatchEvent, WatchScope } from '../registry.ts';
import type { EtcdConnection } from './connection.ts';
import type { EtcdKeys } from './keys.ts';
import { Outbox } from './outbox.ts';

export class EtcdWatch {
  readonly #keys: EtcdKeys;
  readonly #path: string;
  readonly #scope: WatchScope;
  readonly #listener: (event: WatchEvent) => void;
  /** The next revision to report; undefined before the first connection. */
  #next: bigint | undefined;
  #outbox: Outbox<never> | undefined;
  #stopped = false;

  constructor(keys: EtcdKeys, path: string, scope: WatchScope, listener: (event: WatchEvent) => void) {
    this.#keys = keys;
    this.#path = path;
    this.#scope = scope;
    this.#listener = listener;
  }

  /** Watches until this connection ends; resolves when the watch is in place. */
  async begin(connection: EtcdConnection, failed: (error: unknown) => void): Promise<void> {
    const isAgain = this.#next !== undefined;
    const { key, rangeEnd } =
      this.#scope === 'entry'
        ? { key: this.#keys.entry(this.#path), rangeEnd: undefined }
        : this.#keys.around(this.#path);
    const outbox = new Outbox<never>();
    this.#outbox = outbox;
    const create = { key, rangeEnd, startRevision: this.#next };
    outbox.push({ requestUnion: { case: 'createRequest', value: create } } as never);
    const answers = connection.watch.watch(outbox, { signal: connection.signal })[Symbol.asyncIterator]();
    const first = await answers.next();
    if (first.done) throw new Error('the watch ended');
    this.#next ??= (first.value.header?.revision ?? 0n) + 1n;
    const isCompacted = this.#take(first.value);
    if (isAgain) this.#tell({ type: 'resync', path: this.#path });
    if (isCompacted) {
      outbox.end();
      await this.begin(connection, failed);
      return;
    }
    void this.#follow(answers, connection, failed);
  }

  stop(): void {
    this.#stopped = true;
    this.#outbox?.end();
  }

  async #follow(
    answers: AsyncIterator<WatchResponse>,
    connection: EtcdConnection,
    failed: (error: unknown) => void,
  ): Promise<void> {
    try {
      for (;;) {
        const { value, done } = await answers.next();
        if (this.#stopped) return;
        if (done) throw new Error('the watch ended');
        if (this.#take(value)) {
          this.#tell({ type: 'resync', path: this.#path });
          await this.begin(connection, failed);
          return;
        }
      }
    } catch (error) {
      if (!this.#stopped && !connection.signal.aborted) failed(error);
    }
  }

  /** Reports the events of an answer; true if the next revision was compacted. */
  #take(answer: WatchResponse): boolean {
    if (answer.compactRevision > 0n) {
      this.#next = undefined;
      return true;
    }
    if (answer.canceled) throw new Error(`the watch was cancelled: ${answer.cancelReason}`);
    for (const { type, kv } of answer.events) {
      if (!kv) continue;
      this.#next = kv.modRevision + 1n;
      const path = this.#keys.path(kv.key);
      const isMine = path === this.#path || (this.#scope === 'subtree' && isBelow(path, this.#path));
      if (!isMine) continue;
      const isNew = kv.createRevision === kv.modRevision;
      this.#tell({ type: type === Event_EventType.DELETE ? 'deleted' : isNew ? 'created' : 'changed', path });
    }
    return false;
  }

  #tell(event: WatchEvent): void {
    if (!this.#stopped) this.#listener(event);
  }
}
