/** What a handler is given: its shard, and how to know that it must stop. */
import type { Log } from '@orrery/core/log';
import type { Cause } from '../board/board.ts';

/** One shard of one round, as its handler sees it. */
export interface ShardContext {
  readonly job: string;
  readonly namespace: string;
  readonly instance: string;
  /** Unique for each round of an instance. */
  readonly round: string;
  readonly cause: Cause;
  readonly shard: number;
  readonly total: number;
  /** The shard's own parameter, empty where none is set. */
  readonly parameter: string;
  /** The parameter of the whole job. */
  readonly jobParameter: string;
  /** What a trigger by hand brought along. */
  readonly triggerParameter: string | undefined;
  /** The due time of the tick, or of the last of those that a misfire round makes up for. */
  readonly due: number | undefined;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Aborted when the shard must stop: time limit, stop of the job, or a registry that may have reassigned it.
   */
  readonly signal: AbortSignal;
  /** Grows with each run of this shard. A conditional write with it is safe even after this process was frozen. */
  readonly token: number;
  /** Whether instances came or went, and the shards are divided again once all of them end: long work may end early. */
  readonly isOutdated: () => boolean;
  readonly log: Log;
}

/** Does the work of one shard. */
export type ShardHandler = (context: ShardContext) => Promise<void> | void;
