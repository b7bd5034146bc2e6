/** Logs on the network: a worker serves its logs, and other nodes read them from it. */
import { Code, ConnectError } from '@connectrpc/connect';
import type { AttemptId } from '../frames.ts';
import { type LogPiece as LogMessage, Logs } from '../generated/orrery/v1/logs_pb.ts';
import { attemptId, attemptMessage } from '../messages.ts';
import type { Address } from './address.ts';
import { Connections } from './client.ts';
import type { NetworkOptions } from './options.ts';
import { startServer, type WireServer } from './server.ts';

/** A piece of a log; offsets count bytes. */
export interface LogPiece {
  readonly bytes: Uint8Array;
  /** Offset of the next piece. */
  readonly next: number;
  /** Current length of the log; 0 if there is none. */
  readonly size: number;
  /** Process group of the running attempt, on the worker's machine. */
  readonly process?: number;
  /** The worker's retention, present only if it has no such log. */
  readonly kept?: KeptLogs;
}

/** A worker's log retention. */
interface KeptLogs {
  /** Milliseconds after the last line of a run. */
  readonly age: number;
  /** Number of runs. */
  readonly most: number;
  /**
   * Logs whose last line was written at or before this time may have been removed to stay under the limit; 0:
   * none.
   */
  readonly removedUntil: number;
}

/** Reads the logs of one worker, locally or remotely. */
export interface LogReader {
  read(
    workflow: string,
    attempt: AttemptId,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<LogPiece>;
  /** Follows the log from `offset` as it grows, to its end. */
  follow(
    workflow: string,
    attempt: AttemptId,
    range: { readonly offset: number; readonly limit?: number; readonly signal: AbortSignal },
  ): AsyncIterable<LogPiece>;
}

/** Size limit of a piece, in bytes: well within a message. */
const LARGEST_PIECE = 524_288;

/** How long a worker may take to read a piece, in milliseconds. */
const PATIENCE = 5_000;

/** Serves the logs of this worker. */
export function serveLogs(listen: Address, options: NetworkOptions, logs: LogReader): Promise<WireServer> {
  return startServer(listen, options, (router) => {
    router.service(Logs, {
      async read({ workflow, attempt, offset, limit }) {
        const most = limit > 0n && limit < LARGEST_PIECE ? Number(limit) : LARGEST_PIECE;
        return pieceMessage(
          await logs.read(workflow, attemptId(attempt), { offset: byteOf(offset), limit: most }),
        );
      },
      async *follow({ workflow, attempt, offset }, { signal }) {
        const range = { offset: byteOf(offset), limit: LARGEST_PIECE, signal };
        for await (const piece of logs.follow(workflow, attemptId(attempt), range)) yield pieceMessage(piece);
      },
    });
  });
}

/** Makes readers of workers' logs, by address. */
export function remoteLogs(options: NetworkOptions): (address: string) => LogReader {
  const connections = new Connections(Logs, options);
  return (address) => ({
    async read(workflow, attempt, { offset, limit }) {
      const request = {
        workflow,
        attempt: attemptMessage(attempt),
        offset: BigInt(offset),
        limit: BigInt(limit),
      };
      return piece(await connections.to(address).read(request, { timeoutMs: PATIENCE }));
    },
    async *follow(workflow, attempt, { offset, signal }) {
      const request = { workflow, attempt: attemptMessage(attempt), offset: BigInt(offset) };
      for await (const message of connections.to(address).follow(request, { signal })) yield piece(message);
    },
  });
}

/** Whether a call failed because the other node is unreachable, not because of the request. */
export function isUnreachable(error: unknown): boolean {
  const { code } = ConnectError.from(error);
  return [Code.Unavailable, Code.DeadlineExceeded, Code.Canceled, Code.Aborted].includes(code);
}

function byteOf(offset: bigint): number {
  if (offset < 0n) throw new ConnectError('an offset is 0 or more', Code.InvalidArgument);
  return Number(offset);
}

function pieceMessage({ bytes, next, size, process, kept }: LogPiece) {
  return {
    bytes: new Uint8Array(bytes),
    next: BigInt(next),
    size: BigInt(size),
    process: BigInt(process ?? 0),
    kept: kept && {
      age: BigInt(kept.age),
      most: BigInt(kept.most),
      removedUntil: BigInt(Math.ceil(kept.removedUntil)),
    },
  };
}

function piece({ bytes, next, size, process, kept }: LogMessage): LogPiece {
  return {
    bytes,
    next: Number(next),
    size: Number(size),
    process: process === 0n ? undefined : Number(process),
    kept: kept && {
      age: Number(kept.age),
      most: Number(kept.most),
      removedUntil: Number(kept.removedUntil),
    },
  };
}
