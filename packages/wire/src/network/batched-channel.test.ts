import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { FRAME_LIMIT } from '../channel.ts';
import { masterCodec, workerCodec } from '../codec.ts';
import type { WorkerFrame } from '../frames.ts';
import { type WorkerBatch, WorkerBatchSchema } from '../generated/orrery/v1/masters_pb.ts';
import { report } from '../testing/frames.ts';
import { BatchedChannel } from './batched-channel.ts';

const take = (number: number): WorkerFrame => ({ type: 'take', epoch: 1, number, room: 1 });
const open = () => new BatchedChannel(workerCodec, false);

/** A message as it is on the network. */
const sizeOf = (message: WorkerBatch) => toBinary(WorkerBatchSchema, message).length;
const framesOf = (message: WorkerBatch) =>
  masterCodec.reader()(fromBinary(WorkerBatchSchema, toBinary(WorkerBatchSchema, message)));

describe('what is sent over the network', () => {
  it('in one turn travels in one message', async () => {
    const channel = open();
    const messages = channel.outgoing();
    const first = messages.next();
    channel.send(take(1));
    await undefined;
    channel.send(take(2));
    channel.send(take(3));
    expect(framesOf((await first).value as WorkerBatch)).toEqual([take(1), take(2), take(3)]);
  });

  it('while a message is being written travels in the next one, and then all has left', async () => {
    const channel = open();
    const messages = channel.outgoing();
    channel.send(take(1));
    await messages.next();
    channel.send(take(2));
    channel.send(take(3));
    let drained = false;
    const waited = channel.drained().then(() => {
      drained = true;
    });
    expect(framesOf((await messages.next()).value as WorkerBatch)).toEqual([take(2), take(3)]);
    expect(drained).toBe(false);
    void messages.next();
    await waited;
  });

  it('never makes a message that the other end refuses for its size', async () => {
    const channel = open();
    const messages = channel.outgoing();
    const logTail = 'x'.repeat(FRAME_LIMIT / 3);
    for (let epoch = 1; epoch <= 10; epoch++)
      channel.send({ type: 'report', epoch, reports: [report({ logTail })] });
    channel.close('done');
    const sizes: number[] = [];
    for await (const message of messages) sizes.push(sizeOf(message));
    expect(sizes).toHaveLength(6);
    expect(Math.max(...sizes)).toBeLessThan(1_048_576);
  });

  it('is bounded: a channel that nobody reads closes', () => {
    const channel = open();
    let reason = '';
    channel.onClose((why) => {
      reason = why;
    });
    const logTail = 'x'.repeat(900_000);
    for (let k = 0; k < 100 && reason === ''; k++)
      channel.send({ type: 'report', epoch: 1, reports: [report({ logTail })] });
    expect(reason).toBe('the other side does not read what is sent');
  });
});
