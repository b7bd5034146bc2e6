/** A master in a process of its own that only answers: beats with their commit, takes with attempts, reports at once. */
import type { Channel } from '../../packages/wire/src/channel.ts';
import type { Assignment, MasterFrame, WorkerFrame } from '../../packages/wire/src/frames.ts';
import { addressText } from '../../packages/wire/src/network/address.ts';
import { serveMaster } from '../../packages/wire/src/network/index.ts';
import { networkDefaults } from '../../packages/wire/src/network/options.ts';
import { assignment } from '../../packages/wire/src/testing/frames.ts';

const sample = assignment({ secrets: [], timeout: undefined });

/** Answers one worker. */
export function answer(channel: Channel<MasterFrame, WorkerFrame>): void {
  channel.onFrame((frame) => {
    if (frame.type === 'beat') channel.send({ type: 'beat-committed', beat: frame.beat });
    else if (frame.type === 'report')
      channel.send({ type: 'acknowledge', attempts: frame.reports.map(({ attempt }) => attempt) });
    else if (frame.type === 'take') {
      const assignments = Array.from({ length: frame.room }, (): Assignment => sample);
      channel.send({ type: 'give', take: frame.number, assignments });
    }
  });
}

if (import.meta.main) {
  const listen = { host: '127.0.0.1', port: 0 };
  const server = await serveMaster(listen, networkDefaults, { accept: answer, hint: () => {} });
  console.log(addressText(server.address));
}
