/** What a random user has before them: a server at work on a seeded store, with runs of every size and many addresses. */
import { Server } from '../server.ts';

/** Workflows beside those of the seed: one that folds, one that fails loudly, one that waits for hours. */
const workflows = `
name: fan
project: odd
tasks:
  - { name: start, type: noop }
${Array.from({ length: 240 }, (_, i) => `  - { name: part_${i}, type: noop, needs: [start] }`).join('\n')}
  - { name: last, type: noop, needs: [part_0] }
---
name: noisy
project: odd
params: { lines: { default: "3000" }, why: { default: "nothing", description: A text of any kind } }
tasks:
  - { name: talk, type: shell, retries: { limit: 1, delay: 1s }, with: { script: "echo '::group::install'; echo inside; echo '::endgroup::'; for i in $(seq 1 3000); do echo \\"line $i\\"; done; echo ERROR it broke >&2; exit 3" } }
  - { name: after, type: noop, needs: [talk] }
---
name: patient
project: odd
tasks:
  - { name: long, type: shell, with: { script: "for i in $(seq 1 600); do echo $i; sleep 1; done" } }
  - { name: parts, type: shell, shards: 5, needs: [], with: { script: "echo part $ORRERY_SHARD; sleep 20; test $ORRERY_SHARD != 3" } }
  - { name: join, type: noop, needs: [long, parts] }
  - { name: hour, type: noop, delay: 1h }
---
name: nested
project: odd
tasks:
  - { name: before, type: noop }
  - { name: within, type: sub-workflow, needs: [before], with: { workflow: odd/noisy } }
`;

/** A server whose user may do anything, and what can be found in it. */
export class World {
  readonly server: Server;
  /** When the network or the server was last away, so that errors of requests are no surprise. */
  faultAt = Number.NEGATIVE_INFINITY;
  runs: readonly number[] = [];
  taskRuns: readonly string[] = [];

  private constructor(server: Server) {
    this.server = server;
  }

  static async start(): Promise<World> {
    const world = new World(await Server.startSeeded('busy', '--slots', '8'));
    await world.server.publish(workflows);
    for (const name of ['fan', 'noisy', 'patient', 'nested'])
      await world.server.client.startRun({ body: { workflow: `odd/${name}` } });
    await world.look();
    return world;
  }

  /** Finds what there is by now. */
  async look(): Promise<void> {
    const { client } = this.server;
    const odd = await client.listRuns({ project: 'odd', limit: 20 });
    const all = await client.listRuns({ limit: 30 });
    this.runs = [...odd.runs, ...all.runs].map(({ id }) => id);
    const pages = await Promise.all(this.runs.slice(0, 12).map((id) => client.listTasks({ id, limit: 20 })));
    this.taskRuns = pages.flatMap(({ run, columns }) => columns.name.map((name) => `${run}.${name}`));
  }

  /** Whether a request may have failed without anyone's fault. */
  hadFault(): boolean {
    return performance.now() - this.faultAt < 15_000;
  }

  async kill(): Promise<void> {
    this.faultAt = Number.POSITIVE_INFINITY;
    await this.server.kill();
  }

  async again(): Promise<void> {
    await this.server.again('--slots', '8');
    this.faultAt = performance.now();
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
