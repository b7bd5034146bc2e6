import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnPostgres } from '@orrery/testkit/own-postgres';
import { isFull } from '@orrery/testkit/tier';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answered, type NodeProcess, TestCluster } from './node-process.ts';

let database: OwnPostgres;
let cluster: TestCluster;

beforeEach(async () => {
  database = new OwnPostgres();
  cluster = new TestCluster(await database.start(), '--join-token', 'hush');
});
afterEach(async () => {
  await cluster?.stop();
  await database.remove();
});

/** Fails when one of these processes ends. */
function whileAlive<T>(nodes: readonly NodeProcess[], work: Promise<T>): Promise<T> {
  const end = async (node: NodeProcess): Promise<never> => {
    const code = await node.ended();
    throw new Error(`a process ended with exit code ${code}: ${node.printed}`);
  };
  return Promise.race([work, ...nodes.map(end)]);
}

/** Clients that start runs and watch them, one after the other, whatever the server answers in between. */
class Load {
  /** The states in which runs ended. */
  readonly ends: string[] = [];
  private isOver = false;
  private readonly clients: Promise<void>[];

  constructor(clients: number) {
    this.clients = Array.from({ length: clients }, () => this.client());
  }

  /** Resolves once `count` more runs have ended. */
  async more(count: number): Promise<void> {
    const enough = this.ends.length + count;
    while (this.ends.length < enough) await sleep(20);
  }

  async finish(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }

  private async client(): Promise<void> {
    while (!this.isOver) {
      const key = randomUUID();
      const run = await answered(() => cluster.run('pair', key));
      this.ends.push(await answered(() => cluster.endOf(run)));
    }
  }
}

it('survives restarts of the database and lost connections under load', { timeout: 600_000 }, async () => {
  const rounds = isFull ? 15 : 3;
  const nodes = [
    await cluster.master('m1'),
    await cluster.master('m2'),
    await cluster.worker('w1', 'm1'),
    await cluster.api(),
  ];
  await cluster.publish(
    'name: pair\ntasks: [{ name: a, type: noop }, { name: b, type: shell, needs: a, with: { script: echo b } }]',
  );
  const load = new Load(6);
  const disturb = async () => {
    for (let round = 0; round < rounds; round++) {
      await load.more(3);
      await database.stop(round % 2 === 0 ? 'immediate' : 'fast');
      await database.start();
      await load.more(3);
      await database.terminateConnections();
    }
    await load.finish();
  };
  await whileAlive(nodes, disturb());
  expect(new Set(load.ends)).toEqual(new Set(['success']));
});
