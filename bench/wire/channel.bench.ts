/** Frames between a worker and a master: within one process, and over gRPC on loopback with a process at each end. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Channel } from '../../packages/wire/src/channel.ts';
import type { MasterFrame, WorkerFrame } from '../../packages/wire/src/frames.ts';
import { channelPair } from '../../packages/wire/src/in-process.ts';
import { connectMaster } from '../../packages/wire/src/network/index.ts';
import { networkDefaults } from '../../packages/wire/src/network/options.ts';
import { report } from '../../packages/wire/src/testing/frames.ts';
import type { Row } from '../run.ts';
import { bySize } from '../size.ts';
import { answer } from './echo-master.ts';

export const title = 'frames between a worker and a master, there and back';

type WorkerEnd = Channel<WorkerFrame, MasterFrame>;

export async function run(): Promise<Row[]> {
  const [worker, master] = channelPair<WorkerFrame, MasterFrame>((delivery) => queueMicrotask(delivery));
  answer(master);
  const inProcess = await measure('in process', worker);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'echo-master.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise<string>((resolve) =>
    child.stdout.once('data', (text) => resolve(String(text).trim())),
  );
  const remote = connectMaster(address, networkDefaults);
  try {
    return [...inProcess, ...(await measure('gRPC', remote))];
  } finally {
    remote.close('done');
    child.kill();
  }
}

async function measure(where: string, channel: WorkerEnd): Promise<Row[]> {
  const rows: Row[] = [];
  const answers = new Answers(channel);
  const beat = (number: number): WorkerFrame => ({
    type: 'beat',
    epoch: 1,
    beat: number,
    take: 1,
    held: [],
    load: { cpu: 0, memory: 0, running: 0 },
  });
  const [warmUp, measured] = bySize([500, 5_000], [2, 20]);
  for (const count of [warmUp, measured]) {
    const laps: number[] = [];
    for (let k = 0; k < count; k++) {
      const begin = performance.now();
      channel.send(beat(k));
      await answers.next(1);
      laps.push((performance.now() - begin) * 1_000);
    }
    laps.sort((a, b) => a - b);
    if (count === warmUp) continue;
    rows.push({
      what: `${where}: round trip, median`,
      value: laps[count / 2],
      unit: 'µs',
      note: 'one frame each way',
    });
    rows.push({ what: `${where}: round trip, p99`, value: laps[Math.floor(count * 0.99)], unit: 'µs' });
  }
  const rate = async (
    what: string,
    batches: number,
    size: number,
    note: string,
    send: (k: number) => void,
  ) => {
    const open = 8;
    const begin = performance.now();
    for (let k = 0; k < batches; k++) {
      send(k);
      if (k >= open) await answers.next(1);
    }
    await answers.next(open);
    const seconds = (performance.now() - begin) / 1_000;
    rows.push({ what: `${where}: ${what}`, value: (batches * size) / seconds, unit: '/s', note });
  };
  await rate('single frames', bySize(20_000, 20), 1, '8 under way', (k) => channel.send(beat(k)));
  await rate('attempts given', bySize(1_000, 20), 100, 'takes of 100, 8 under way', (number) =>
    channel.send({ type: 'take', epoch: 1, number, room: 100 }),
  );
  const reports = Array.from({ length: 100 }, () =>
    report({ outcome: { state: 'success' }, logTail: undefined }),
  );
  await rate('reports acknowledged', bySize(1_000, 20), 100, 'frames of 100, 8 under way', () =>
    channel.send({ type: 'report', epoch: 1, reports }),
  );
  return rows;
}

/** Counts answers, for one who waits for them. */
class Answers {
  private ready = 0;
  private wanted = 0;
  private resolve: () => void = () => {};

  constructor(channel: WorkerEnd) {
    channel.onFrame(() => {
      this.ready++;
      this.look();
    });
  }

  /** Settles when that many more have come. */
  next(count: number): Promise<void> {
    this.wanted = count;
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.look();
    });
  }

  private look(): void {
    if (this.wanted === 0 || this.ready < this.wanted) return;
    this.ready -= this.wanted;
    this.wanted = 0;
    this.resolve();
  }
}
