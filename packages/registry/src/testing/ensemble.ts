/** Three servers of one ensemble on loopback ports, to be killed, frozen and started again one by one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownPort } from '../../../../scripts/own-port.ts';
import { etcd } from '../../../../scripts/services/etcd.ts';
import { findCommand } from '../../../../scripts/services/service.ts';
import { zookeeper } from '../../../../scripts/services/zookeeper.ts';

/** One kind of ensemble: how a member starts, and whether it leads; undefined while it does not serve. */
interface EnsembleKind {
  readonly kind: 'zookeeper' | 'etcd';
  launch(members: readonly MemberPorts[], me: number, folder: string): [command: string, args: string[]];
  leads(port: number): Promise<boolean | undefined>;
}

interface MemberPorts {
  readonly client: number;
  readonly peer: number;
  readonly election: number;
}

export class Ensemble {
  readonly kind: EnsembleKind['kind'];
  readonly #of: EnsembleKind;
  readonly #folder = mkdtempSync(join(tmpdir(), 'orrery-ensemble-'));
  #members: MemberPorts[] = [];
  readonly #processes: (ChildProcess | undefined)[] = [];

  constructor(of: EnsembleKind) {
    this.#of = of;
    this.kind = of.kind;
  }

  async start(): Promise<void> {
    const port = async () => ({ client: await ownPort(), peer: await ownPort(), election: await ownPort() });
    this.#members = [await port(), await port(), await port()];
    for (const me of this.#members.keys()) this.startMember(me);
    await this.settled(3);
  }

  startMember(me: number): void {
    const folder = join(this.#folder, String(me));
    mkdirSync(folder, { recursive: true });
    const [command, args] = this.#of.launch(this.#members, me, folder);
    this.#processes[me] = spawn(command, args, { stdio: 'ignore' });
  }

  /** Waits until this many members serve, one of them as leader. Answers which one leads. */
  async settled(count: number): Promise<number> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const roles = await Promise.all(this.#members.map(({ client }) => this.#of.leads(client)));
      const serving = roles.filter((role) => role !== undefined).length;
      if (serving >= count && roles.filter(Boolean).length === 1) return roles.indexOf(true);
      if (performance.now() > deadline)
        throw new Error(`${this.kind} did not settle: ${JSON.stringify(roles)}`);
      await sleep(50);
    }
  }

  async kill(me: number): Promise<void> {
    const child = this.#processes[me];
    this.#processes[me] = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Freezes a member, as a partition that cuts it off from all others, or lets it go on. */
  freeze(me: number, frozen: boolean): void {
    this.#processes[me]?.kill(frozen ? 'SIGSTOP' : 'SIGCONT');
  }

  /** The address of some members, in this order; all unless told. */
  url(tree: string, members: readonly number[] = [0, 1, 2]): string {
    return `${this.kind}://${members.map((me) => `127.0.0.1:${this.#members[me].client}`).join(',')}/${tree}`;
  }

  /** The member at an address that a client shows. */
  memberAt(server: string): number {
    return this.#members.findIndex(({ client }) => server.endsWith(`:${client}`));
  }

  async remove(): Promise<void> {
    await Promise.all(this.#members.keys().map((me) => this.kill(me)));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export const etcdEnsemble: EnsembleKind = {
  kind: 'etcd',
  launch(members, me, folder) {
    const url = (port: number) => `http://127.0.0.1:${port}`;
    const { client, peer } = members[me];
    return [
      etcd.find() ?? 'etcd',
      [
        ...['--name', `m${me}`, '--data-dir', join(folder, 'data')],
        ...['--listen-client-urls', url(client), '--advertise-client-urls', url(client)],
        ...['--listen-peer-urls', url(peer), '--initial-advertise-peer-urls', url(peer)],
        ...['--initial-cluster', members.map((member, k) => `m${k}=${url(member.peer)}`).join(',')],
      ],
    ];
  },
  async leads(port) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/v3/maintenance/status`, {
        method: 'POST',
        body: '{}',
        signal: AbortSignal.timeout(1_000),
      });
      const { header, leader } = (await answer.json()) as { header: { member_id: string }; leader?: string };
      return leader === undefined ? undefined : leader === header.member_id;
    } catch {
      return undefined;
    }
  },
};

export const zookeeperEnsemble: EnsembleKind = {
  kind: 'zookeeper',
  launch(members, me, folder) {
    const config = join(folder, 'zoo.cfg');
    mkdirSync(join(folder, 'data'), { recursive: true });
    writeFileSync(join(folder, 'data', 'myid'), String(me + 1));
    const servers = members.map(({ peer, election }, k) => `server.${k + 1}=127.0.0.1:${peer}:${election}`);
    writeFileSync(
      config,
      [
        `dataDir=${join(folder, 'data')}`,
        'clientPortAddress=127.0.0.1',
        `clientPort=${members[me].client}`,
        'tickTime=200',
        'initLimit=100',
        'syncLimit=20',
        'maxClientCnxns=0',
        'maxSessionTimeout=60000',
        'admin.enableServer=false',
        '4lw.commands.whitelist=*',
        ...servers,
        '',
      ].join('\n'),
    );
    // The command of a single server, with the main class of an ensemble.
    const place = { program: zookeeper.find() ?? '', home: folder, port: members[me].client, fast: true };
    const args = zookeeper.launch({ ...place, home: mkdtempSync(join(folder, 'unused-')) }).args;
    return [
      findCommand('java') ?? 'java',
      [
        '-Xmx96m',
        '-XX:TieredStopAtLevel=1',
        ...args.slice(1, -2),
        'org.apache.zookeeper.server.quorum.QuorumPeerMain',
        config,
      ],
    ];
  },
  async leads(port) {
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 }, () => socket.write('srvr'));
      socket.setEncoding('latin1').on('data', (more) => {
        text += more;
      });
      socket.on('timeout', () => socket.destroy());
      socket.on('error', () => socket.destroy());
      socket.on('close', () => resolve(text));
    });
    const mode = /^Mode: (\w+)$/m.exec(answer)?.[1];
    return mode === undefined ? undefined : mode === 'leader';
  },
};
