import type { MasterFrame, WorkerFrame } from './frames.ts';
import { channelPair } from './in-process.ts';
import { describeTransport } from './testing/conformance.ts';

const held: (() => void)[] = [];
let frozen = false;

const deliver = (delivery: () => void): void => {
  if (frozen) held.push(delivery);
  else queueMicrotask(delivery);
};

describeTransport('within one process', {
  async connect() {
    const [worker, master] = channelPair<WorkerFrame, MasterFrame>(deliver);
    return { worker, master };
  },
  freeze: () => {
    frozen = true;
  },
  thaw: () => {
    frozen = false;
    for (const delivery of held.splice(0)) delivery();
  },
});
