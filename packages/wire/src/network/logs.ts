/** Logs on the network: a worker serves them, and whoever shows them reads them there. */
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
  /** Where to go on. */
  readonly next: number;
  /** How long the log is now; 0 when there is none. */
  readonly size: number;
  /** The group of the processes that the attempt runs now, on the machine of the worker. */
  readonly process?: number;
  /** Only where the worker has no such log: what it keeps. */
  readonly kept?: KeptLogs;
}

/** Which logs a worker keeps. */
interface KeptLogs {
  /** Milliseconds after the last line of a run. */
  readonly age: number;
  /** Of how many runs. */
  readonly most: number;
  /** Logs whose last line was written then or before may have been removed since there were too many; 0: none. */
  readonly removedUntil: number;
}

/** Reads the logs of one worker, there or from afar. */
export interface LogReader {
  read(
    workflow: string,
    attempt: AttemptId,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<LogPiece>;
  /** From `offset` on as it grows, to its end. */
  follow(
    workflow: string,
    attempt: AttemptId,
    range: { readonly offset: number; readonly limit?: number; readonly signal: AbortSignal },
  ): AsyncIterable<LogPiece>;
}

/** A piece that fits well into a message. */
const LARGEST_PIECE = 524_288;

/** How long a worker may take to read a piece. */
const PATIENCE = 5_000;

/** Lets others read the logs of this worker. */
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

/** Reads the logs of workers by their addresses. */
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

/** Whether a call failed because the other node is gone, and not because of what was asked. */
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
