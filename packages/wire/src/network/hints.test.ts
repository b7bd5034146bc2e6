import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Hint } from '../frames.ts';
import { addressText } from './address.ts';
import { hintMasters } from './hints.ts';
import { serveMaster } from './masters.ts';
import type { WireServer } from './server.ts';

const here = { host: '127.0.0.1', port: 0 };
const options = { token: 'hush', timeout: 20_000 };
const kill = [{ run: 7, task: 0, shard: -1, number: 1 }];
const servers: WireServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

/** A master that keeps what it is told. */
async function listening() {
  const heard: Hint[] = [];
  const server = await serveMaster(here, options, { accept: () => {}, hint: (hint) => heard.push(hint) });
  servers.push(server);
  const until = async (holds: () => boolean) => {
    while (!holds()) await sleep(5);
  };
  return { heard, until, address: addressText(server.address) };
}

describe('hints to masters', () => {
  it('reach each of them', async () => {
    const [one, other] = [await listening(), await listening()];
    const fenced = { node: 'm1', epoch: 3 };
    hintMasters(options)([one.address, other.address], { inboxes: true, kill, fenced });
    for (const { heard, until } of [one, other]) {
      await until(() => heard.length > 0);
      expect(heard).toMatchObject([{ inboxes: true, queue: false, schedules: false, kill, fenced }]);
    }
  });

  it('that come while one is under way go together with the next', async () => {
    const { heard, until, address } = await listening();
    const tell = hintMasters(options);
    for (let k = 0; k < 100; k++) tell([address], k % 2 === 0 ? { queue: true } : { inboxes: true, kill });
    await until(() => heard.some((hint) => (hint.kill ?? []).length > 0));
    expect(heard).toHaveLength(2);
    expect(heard[1]).toMatchObject({ queue: true, inboxes: true });
    expect(heard[1].kill).toHaveLength(50);
  });

  it('to one that is not there or has no address, or without the token, keep nobody from telling the others', async () => {
    const { heard, until, address } = await listening();
    hintMasters({ timeout: 20_000 })([address], { schedules: true });
    const tell = hintMasters(options);
    const gone = await listening();
    await servers.pop()?.stop();
    tell([gone.address, address], { queue: true });
    await until(() => heard.length > 0);
    tell(['', gone.address, address], { inboxes: true });
    await until(() => heard.length > 1);
    expect(heard).toMatchObject([
      { queue: true, schedules: false },
      { inboxes: true, queue: false },
    ]);
  });
});
