/** What a worker and a master may expect of a channel, whatever carries it: run on every transport. */
import { describe, expect, it } from 'vitest';
import type { Channel } from '../channel.ts';
import type { MasterFrame, WorkerFrame } from '../frames.ts';
import { assignment, masterFrames, report, workerFrames } from './frames.ts';

/** Both ends of a channel. */
export interface Ends {
  readonly worker: Channel<WorkerFrame, MasterFrame>;
  readonly master: Channel<MasterFrame, WorkerFrame>;
}

/** A transport under test. */
export interface Transport {
  /** A worker turns to a master. */
  connect(): Promise<Ends>;
  /** Nothing gets through any more, and neither end is told. */
  freeze(): void;
  /** What was held up gets through. */
  thaw(): void;
  /** As `connect`, with little patience for silence; not within one process, where nothing goes silent or is too large. */
  connectImpatiently?(): Promise<Ends>;
}

const MANY = 100_000;

/** Declares the tests. */
export function describeTransport(name: string, transport: Transport): void {
  describe(`a channel ${name}`, () => {
    it('carries every kind of frame as it was sent, in order, both ways', async () => {
      const { worker, master } = await transport.connect();
      const [heardByMaster, heardByWorker] = [listen(master), listen(worker)];
      for (const frame of workerFrames) worker.send(frame);
      for (const frame of masterFrames) master.send(frame);
      await heardByMaster.until(workerFrames.length);
      await heardByWorker.until(masterFrames.length);
      expect(heardByMaster.frames).toEqual(workerFrames);
      expect(heardByWorker.frames).toEqual(masterFrames);
      worker.close('done');
    });

    it('keeps the order over many turns', async () => {
      const { worker, master } = await transport.connect();
      const heard = listen(master);
      for (let number = 1; number <= 2_000; number++) {
        worker.send({ type: 'take', epoch: 1, number, room: 1 });
        if (number % 7 === 0) await new Promise(setImmediate);
      }
      await heard.until(2_000);
      expect(heard.frames.map((frame) => 'number' in frame && frame.number)).toEqual(
        Array.from({ length: 2_000 }, (_, k) => k + 1),
      );
      worker.close('done');
    });

    it('keeps what comes before somebody listens', async () => {
      const { worker, master } = await transport.connect();
      worker.send({ type: 'leave', epoch: 1 });
      worker.send({ type: 'leave', epoch: 2 });
      await worker.drained();
      const heard = listen(master);
      await heard.until(2);
      expect(heard.frames).toEqual([
        { type: 'leave', epoch: 1 },
        { type: 'leave', epoch: 2 },
      ]);
      worker.close('done');
    });

    it.each(['worker', 'master'] as const)(
      'tells both ends why the %s closed it, after its frames',
      async (by) => {
        const ends = await transport.connect();
        const [mine, its] = by === 'worker' ? [ends.worker, ends.master] : [ends.master, ends.worker];
        const heard = listen(its as Channel<unknown, unknown>);
        const reasons = [closed(mine), closed(its)];
        if (by === 'worker') ends.worker.send(workerFrames[2]);
        else ends.master.send(masterFrames[2]);
        mine.close('time to go: 再见');
        mine.close('a second time');
        expect(await Promise.all(reasons)).toEqual(['time to go: 再见', 'time to go: 再见']);
        expect(heard.frames).toHaveLength(1);
        // What is sent now goes nowhere, and harms nobody.
        ends.worker.send(workerFrames[2]);
        ends.master.send(masterFrames[2]);
        await Promise.all([mine.drained(), its.drained()]);
        expect(await closed(its)).toBe('time to go: 再见');
      },
    );

    it('asks the sender to wait while nothing gets through, and loses nothing', async () => {
      const { worker, master } = await transport.connect();
      const heard = listen(master);
      transport.freeze();
      let sent = 0;
      const logTail = 'x'.repeat(16_000);
      while (worker.send({ type: 'report', epoch: ++sent, reports: [report({ logTail })] })) {
        expect(sent).toBeLessThan(MANY);
        if (sent % 100 === 0) await new Promise(setImmediate);
      }
      let drained = false;
      const waited = worker.drained().then(() => {
        drained = true;
      });
      await new Promise(setImmediate);
      expect(drained).toBe(false);
      transport.thaw();
      await waited;
      await heard.until(sent);
      expect(heard.frames.map((frame) => 'epoch' in frame && frame.epoch)).toEqual(
        Array.from({ length: sent }, (_, k) => k + 1),
      );
      worker.close('done');
    });

    it('lets nobody wait for what can no longer leave', async () => {
      const { worker, master } = await transport.connect();
      transport.freeze();
      for (let k = 0; k < 10; k++) worker.send(workerFrames[2]);
      const waited = worker.drained();
      worker.close('never mind');
      await waited;
      transport.thaw();
      expect(await closed(master)).toBe('never mind');
    });

    it('carries lists that are larger than a message may be', async () => {
      const { worker, master } = await transport.connect();
      const [heardByMaster, heardByWorker] = [listen(master), listen(worker)];
      const text = 'x'.repeat(16_000);
      const assignments = Array.from({ length: 200 }, (_, k) => assignment({ take: k, with: { text } }));
      const reports = Array.from({ length: 200 }, (_, k) => report({ startedAt: k, logTail: text }));
      master.send({ type: 'give', take: 1, assignments });
      master.send({ type: 'store-away' });
      worker.send({ type: 'report', epoch: 1, reports });
      worker.send({ type: 'leave', epoch: 1 });
      await heardByWorker.until(({ at }) => at?.type === 'store-away');
      await heardByMaster.until(({ at }) => at?.type === 'leave');
      expect(heardByWorker.frames).toEqual([{ type: 'give', take: 1, assignments }, { type: 'store-away' }]);
      expect(heardByMaster.frames.flatMap((frame) => (frame.type === 'report' ? frame.reports : []))).toEqual(
        reports,
      );
      worker.close('done');
    });

    it('is there again after it was closed', async () => {
      const first = await transport.connect();
      first.worker.close('once');
      expect(await closed(first.master)).toBe('once');
      const second = await transport.connect();
      const heard = listen(second.master);
      second.worker.send(workerFrames[1]);
      await heard.until(1);
      expect(heard.frames).toEqual([workerFrames[1]]);
      second.worker.close('done');
    });

    if (transport.connectImpatiently) describeNetwork(transport, transport.connectImpatiently);
  });
}

function describeNetwork(transport: Transport, connectImpatiently: () => Promise<Ends>): void {
  it('closes on both ends when it goes silent', async () => {
    const { worker, master } = await connectImpatiently();
    const reasons = Promise.all([closed(worker), closed(master)]);
    transport.freeze();
    for (const reason of await reasons) expect(reason).not.toBe('');
    transport.thaw();
  });

  it('refuses a frame over the limit alone, with its name and both sizes', async () => {
    const { worker, master } = await transport.connect();
    const [heardByMaster, heardByWorker] = [listen(master), listen(worker)];
    const text = 'x'.repeat(1_000_000);
    worker.send({ type: 'leave', epoch: 1 });
    expect(() => worker.send({ type: 'report', epoch: 1, reports: [report({ logTail: text })] })).toThrow(
      /^the report of attempt 7\.0s2\.4 takes 100010\d bytes; a message between nodes has at most 1000000$/,
    );
    worker.send({ type: 'leave', epoch: 2 });
    master.send({ type: 'store-away' });
    const assignments = [assignment({ with: { text } }), assignment()];
    expect(() => master.send({ type: 'give', take: 1, assignments })).toThrow(
      /^the assignment of attempt \d+\.3\.1 takes 10\d{5} bytes; a message between nodes has at most 1000000$/,
    );
    master.send({ type: 'store-away' });
    await heardByMaster.until(2);
    await heardByWorker.until(2);
    expect(heardByMaster.frames.map(({ type }) => type)).toEqual(['leave', 'leave']);
    expect(heardByWorker.frames.map(({ type }) => type)).toEqual(['store-away', 'store-away']);
    worker.close('done');
  });
}

/** Hears a channel; `until` settles when that many frames have come, or the last one is the one waited for. */
function listen<In>(channel: Channel<never, In>) {
  const frames: In[] = [];
  let look = (): void => {};
  channel.onFrame((frame) => {
    frames.push(frame);
    look();
  });
  return {
    frames,
    until(wanted: number | ((state: { at: In | undefined }) => boolean)): Promise<void> {
      const met = () =>
        typeof wanted === 'number' ? frames.length >= wanted : wanted({ at: frames.at(-1) });
      return new Promise((resolve) => {
        look = () => {
          if (met()) resolve();
        };
        look();
      });
    },
  };
}

function closed(channel: Pick<Channel<never, unknown>, 'onClose'>): Promise<string> {
  return new Promise((resolve) => channel.onClose(resolve));
}
