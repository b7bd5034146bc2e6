import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '@orrery/testkit/tcp-proxy';
import { afterAll, describe, expect, it } from 'vitest';
import type { Caller } from '../caller.ts';
import type { Channel } from '../channel.ts';
import type { MasterFrame, WorkerFrame } from '../frames.ts';
import { Masters } from '../generated/orrery/v1/masters_pb.ts';
import { describeTransport, type Ends } from '../testing/conformance.ts';
import { report } from '../testing/frames.ts';
import { addressText } from './address.ts';
import { connectTo } from './client.ts';
import { connectMaster, serveMaster } from './masters.ts';
import type { NetworkOptions } from './options.ts';
import { tokenHash } from './security.ts';
import type { WireServer } from './server.ts';

const here = { host: '127.0.0.1', port: 0 };

/** A master behind a proxy. */
class Stage {
  readonly options: NetworkOptions;
  readonly server: WireServer;
  readonly proxy: TcpProxy;
  private readonly accepted: ((channel: Channel<MasterFrame, WorkerFrame>) => void)[];

  private constructor(
    options: NetworkOptions,
    server: WireServer,
    proxy: TcpProxy,
    accepted: ((channel: Channel<MasterFrame, WorkerFrame>) => void)[],
  ) {
    this.options = options;
    this.server = server;
    this.proxy = proxy;
    this.accepted = accepted;
  }

  static async set(options: NetworkOptions): Promise<Stage> {
    const accepted: ((channel: Channel<MasterFrame, WorkerFrame>) => void)[] = [];
    const accept = (channel: Channel<MasterFrame, WorkerFrame>) => accepted.shift()?.(channel);
    const server = await serveMaster(here, options, { accept, hint: () => {} });
    return new Stage(options, server, await TcpProxy.to(server.address.port), accepted);
  }

  async connect(): Promise<Ends> {
    const arrived = new Promise<Ends['master']>((resolve) => this.accepted.push(resolve));
    const worker = connectMaster(this.proxy.address, this.options);
    return { worker, master: await arrived };
  }

  async strike(): Promise<void> {
    await this.server.stop();
    await this.proxy.close();
  }
}

const patient = await Stage.set({ token: 'hush', timeout: 20_000 });
const impatient = await Stage.set({ timeout: 300 });
afterAll(async () => {
  await patient.strike();
  await impatient.strike();
});

describeTransport('over the network', {
  connect: () => patient.connect(),
  connectImpatiently: () => impatient.connect(),
  freeze() {
    patient.proxy.freeze();
    impatient.proxy.freeze();
  },
  thaw() {
    patient.proxy.thaw();
    impatient.proxy.thaw();
  },
});

const closed = (channel: Pick<Channel<never, unknown>, 'onClose'>): Promise<string> =>
  new Promise((resolve) => channel.onClose(resolve));

describe('a connection to a master', () => {
  it('closes with the reason when nobody listens there', async () => {
    const port = await freePort();
    const worker = connectMaster(`127.0.0.1:${port}`, { timeout: 20_000 });
    expect(await closed(worker)).toContain('ECONNREFUSED');
  });

  it('leaves no socket behind, whoever closes it and whatever is under way', async () => {
    for (let round = 0; round < 20; round++) {
      const { worker, master } = await patient.connect();
      const [first, second] = round % 2 === 0 ? [worker, master] : [master, worker];
      const reasons = Promise.all([closed(worker), closed(master)]);
      const write = () =>
        worker.send({ type: 'report', epoch: 1, reports: [report({ logTail: 'x'.repeat(100_000) })] });
      master.onFrame(write);
      for (let k = 0; k <= round; k++) write();
      if (round % 3 > 0) await new Promise(setImmediate);
      first.close('enough');
      if (round % 5 === 0) second.close('enough');
      expect(await reasons).toEqual(['enough', 'enough']);
    }
    while (patient.proxy.used) await sleep(10);
  });

  it('closes on both ends when it breaks', async () => {
    const { worker, master } = await patient.connect();
    const reasons = Promise.all([closed(worker), closed(master)]);
    patient.proxy.cut();
    for (const reason of await reasons) expect(reason).not.toBe('');
  });

  it.each([undefined, '', 'hus', 'hush2', 'HUSH'])(
    'with the token %j is refused and reaches no master',
    async (token) => {
      let reached = false;
      const server = await serveMaster(
        here,
        { token: 'hush', timeout: 20_000 },
        {
          accept: () => {
            reached = true;
          },
          hint: () => {},
        },
      );
      const worker = connectMaster(addressText(server.address), { token, timeout: 20_000 });
      worker.send({ type: 'take', epoch: 1, number: 1, room: 1 });
      expect(await closed(worker)).toContain('the join token is missing or wrong');
      expect(reached).toBe(false);
      await server.stop();
    },
  );

  it('lets in an invited worker to open a session, and tells the master who it is', async () => {
    const callers: Caller[] = [];
    const lines: string[] = [];
    const findInvitation = async (hash: string) =>
      hash === tokenHash('invitation') ? { worker: 'w7', groups: ['gpu'] } : undefined;
    const options = { token: 'new', accepted: ['new', 'old'], timeout: 20_000 };
    const hints: unknown[] = [];
    const server = await serveMaster(
      here,
      { ...options, findInvitation, warn: (text) => lines.push(text) },
      {
        accept: (channel, caller) => {
          callers.push(caller);
          channel.close('seen');
        },
        hint: (hint) => hints.push(hint),
      },
    );
    const address = addressText(server.address);
    const reasonOf = (token: string) => closed(connectMaster(address, { token, timeout: 20_000 }));
    for (const token of ['invitation', 'old', 'new']) expect(await reasonOf(token)).toBe('seen');
    const invited = { worker: 'w7', groups: ['gpu'] };
    expect(callers).toEqual([{ isLocal: true, invited }, { isLocal: true }, { isLocal: true }]);
    // A hint can end a master: an invitation is not enough for one.
    const { client, end } = connectTo(Masters, address, { token: 'invitation', timeout: 20_000 }, 1_000);
    await expect(client.hint({ fenced: { node: 'm1', epoch: 1 } })).rejects.toThrow(
      'for the session of a worker',
    );
    end();
    expect(hints).toEqual([]);
    for (let k = 0; k < 20; k++) expect(await reasonOf(`guess ${k}`)).toContain('missing or wrong');
    expect(await reasonOf('one more')).toContain('too many wrong join tokens');
    expect(lines).toEqual([
      '127.0.0.1 has shown a wrong join token',
      '127.0.0.1 has shown 20 wrong join tokens and waits for a minute',
    ]);
    // The join token itself is never locked out.
    expect(await reasonOf('new')).toBe('seen');
    await server.stop();
  });

  it('is not served on an address that others can reach without a join token', async () => {
    await expect(
      serveMaster({ host: '0.0.0.0', port: 0 }, { timeout: 1_000 }, { accept: () => {}, hint: () => {} }),
    ).rejects.toThrow('listening on 0.0.0.0:0 lets others in; give a join token first');
  });

  it('is not served on a port that is taken', async () => {
    await expect(
      serveMaster(patient.server.address, { timeout: 1_000 }, { accept: () => {}, hint: () => {} }),
    ).rejects.toThrow('is taken; stop what uses it');
  });

  it('tells workers why the master goes when its server stops', async () => {
    let master: Channel<MasterFrame, WorkerFrame> | undefined;
    const server = await serveMaster(
      here,
      { timeout: 20_000 },
      {
        accept: (channel) => {
          master = channel;
          channel.onFrame(() => channel.close('this master stops'));
        },
        hint: () => {},
      },
    );
    const worker = connectMaster(addressText(server.address), { timeout: 20_000 });
    worker.send({ type: 'leave', epoch: 1 });
    expect(await closed(worker)).toBe('this master stops');
    expect(master?.confidential).toBe(false);
    await server.stop();
  });
});

async function freePort(): Promise<number> {
  const server = await serveMaster(here, { timeout: 1_000 }, { accept: () => {}, hint: () => {} });
  await server.stop();
  return server.address.port;
}
