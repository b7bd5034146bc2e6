/** Masters on the network: serves worker sessions and hints, and connects to a master as a worker does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Caller } from '../caller.ts';
import type { Channel } from '../channel.ts';
import { masterCodec, workerCodec } from '../codec.ts';
import type { Hint, MasterFrame, WorkerFrame } from '../frames.ts';
import { Masters } from '../generated/orrery/v1/masters_pb.ts';
import { attemptId } from '../messages.ts';
import type { Address } from './address.ts';
import { BatchedChannel } from './batched-channel.ts';
import { connectTo } from './client.ts';
import type { NetworkOptions } from './options.ts';
import { callerKey } from './security.ts';
import { startServer, type WireServer } from './server.ts';

/** A master's handlers for calls. */
export interface MasterPorts {
  accept(channel: Channel<MasterFrame, WorkerFrame>, caller: Caller): void;
  hint(hint: Hint): void;
}

/** How long the other end may take to end a stream that this end has closed, in milliseconds. */
const LAST_WORD = 1_000;

/** Serves a master to workers and other nodes. */
export function serveMaster(
  listen: Address,
  options: NetworkOptions,
  { accept, hint }: MasterPorts,
): Promise<WireServer> {
  return startServer(listen, options, (router) => {
    router.service(Masters, {
      async *serve(messages, { signal, values }) {
        const channel = new BatchedChannel(masterCodec, options.tls !== undefined);
        signal.addEventListener('abort', () => channel.end('the connection was lost'));
        void channel.hear(messages);
        accept(channel, values.get(callerKey));
        yield* channel.outgoing();
      },
      hint({ kill, ...about }, { values }) {
        // A hint can end a master, so only nodes of the cluster may send one.
        if (values.get(callerKey).invited)
          throw new ConnectError('an invitation is for the session of a worker', Code.PermissionDenied);
        hint({ ...about, kill: kill.map(attemptId) });
        return {};
      },
    });
  });
}

/** Opens a channel to a master. The channel closes if the master is unreachable. */
export function connectMaster(address: string, options: NetworkOptions): Channel<WorkerFrame, MasterFrame> {
  const { client, end } = connectTo(Masters, address, options, LAST_WORD);
  const channel = new BatchedChannel(workerCodec, options.tls !== undefined);
  const over = channel.hear(client.serve(channel.outgoing()));
  channel.onClose(() => void Promise.race([over, sleep(LAST_WORD)]).then(end));
  return channel;
}
