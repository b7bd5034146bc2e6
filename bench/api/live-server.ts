/** The server of the live benchmark: an API over a store in memory, whose runs change at a given rate. */
import { createInterface } from 'node:readline';
import { startApi } from '@orrery/api';
import { realClock } from '@orrery/core/timing';
import { openSqlite, type Store } from '@orrery/store';
import { commandOf } from '../../packages/store/src/testing.ts';

const changes = Number(process.argv[2]);
const clock = realClock({ now: Date.now, monotonic: () => performance.now(), setTimeout, clearTimeout });
const opened = await openSqlite(':memory:');
let reads = 0;
const store: Store = {
  ...opened,
  readFeed: (input) => {
    reads++;
    return opened.readFeed(input);
  },
};
const { url } = await startApi(
  {
    store,
    clock,
    hints: { commandsQueued: () => undefined, inboxTold: () => undefined },
    logs: { read: () => Promise.reject(new Error('no logs')), follow: () => (async function* () {})() },
    taskTypes: () => [],
    version: 'bench',
    onDefect: (error) => console.error(error),
  },
  { port: 0 },
);
say({ url });

for await (const word of createInterface({ input: process.stdin })) {
  if (word === 'begin') {
    begin();
    say({});
  } else {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    say({ cpu: user + system, memory: process.memoryUsage.rss(), reads });
  }
}
// The parent has gone: the benchmark is over, or was killed.
process.exit();

/** A batch every 50 ms, so that the feed has as many commits as with an engine under load. */
function begin(): void {
  const command = commandOf(1);
  const batch = Array.from({ length: changes / 20 }, () => command);
  if (batch.length > 0)
    setInterval(() => void store.submitCommands({ commands: batch, now: Date.now() }), 50);
}

function say(value: object): void {
  console.log(JSON.stringify(value));
}
