/**
 * Actions of people during the test: they start runs, change them, drain nodes, and switch the owners of
 * schedules.
 */
import type { Random } from '@orrery/testkit/random';
import { answered } from '../../packages/cli/src/server/node-process.ts';
import { type ChaosCluster, masters, workers } from './chaos-cluster.ts';

/**
 * Marks an attempt that runs, and one that begins while an earlier one of its task still runs. An earlier process is
 * known by its environment: its number may have been given to another since, and a zombie runs no more.
 */
const script = (folder: string) =>
  [
    `me=${folder}/shell.$ORRERY_TASK_RUN`,
    'for file in $me.*',
    'do for pid in $(cat $file 2>/dev/null)',
    'do grep -qzx "ORRERY_TASK_RUN=$ORRERY_TASK_RUN" /proc/$pid/environ 2>/dev/null &&' +
      ' echo "$file runs as $pid ($(cut -d " " -f 3 /proc/$pid/stat)) while $ORRERY_ATTEMPT begins" >> $me-overlap',
    'done',
    'done',
    'echo $$ >> $me.$ORRERY_ATTEMPT',
    'sleep 0.$ORRERY_RUN',
  ].join('; ');

export class People {
  /** Runs that were started by hand. */
  readonly runs: number[] = [];
  private readonly cluster: ChaosCluster;
  private readonly random: Random;
  private starts = 0;

  constructor(cluster: ChaosCluster, random: Random) {
    this.cluster = cluster;
    this.random = random;
  }

  /** Publishes workflows whose schedules fire every second, and one for manual runs. */
  async publish(schedules: number, marks: string): Promise<void> {
    const misfire = '{ policy: fire-all, threshold: 30m }';
    const task = (name: string, needs: string) =>
      `  - { name: ${name}, type: shell, needs: [${needs}], retries: 2, with: { script: '${script(marks)}' } }`;
    await this.cluster.test.publish(
      ['name: flow', 'tasks:', task('a', ''), task('b', 'a'), task('c', 'a'), task('d', 'b, c')].join('\n'),
    );
    for (let first = 0; first < schedules; first += 50) {
      const names = Array.from({ length: Math.min(50, schedules - first) }, (_, k) => `s${first + k}`);
      await this.cluster.test.publish(
        [
          `name: ticker${first}`,
          'schedules:',
          ...names.map((name) => `  - { name: ${name}, every: 1s, misfire: ${misfire} }`),
          `tasks: [{ name: x, type: mark, with: { file: ${marks}/marks } }]`,
        ].join('\n'),
      );
    }
  }

  /** Starts a run; asks again, with the same key, until there is an answer. */
  async start(): Promise<void> {
    const key = `start-${++this.starts}`;
    this.runs.push(await this.cluster.insist(() => this.cluster.test.run('flow', key)));
  }

  /** One thing that people do beside starting runs; it may be refused, or get lost. */
  async act(): Promise<void> {
    const { random } = this;
    if (random.chance(0.5) && this.runs.length > 0) {
      const action = random.pick(['pause', 'resume', 'stop', 'recover', 'kill']);
      const body = action === 'kill' ? { task: random.pick(['a', 'b', 'c', 'd']) } : {};
      await this.ask('POST', `/runs/${random.pick(this.runs)}/${action}`, body);
    } else if (random.chance(0.8)) {
      const node = random.pick([...masters, ...workers]);
      if (random.chance(0.4))
        await this.ask('POST', `/nodes/${node}/drain`, { timeout: random.pick([0, 2_000]) });
      else await this.ask('POST', `/nodes/${node}/undrain`, {});
    } else await this.ask('PUT', '/ownership', { mode: random.pick(['scope', 'claim']) });
  }

  /** Takes every drain back; nodes that are just coming back are waited for. */
  async undrainAll(): Promise<void> {
    for (const node of [...masters, ...workers])
      await answered(() => this.cluster.test.call(`/nodes/${node}/undrain`, { method: 'POST' }));
  }

  /** Resumes runs that a person paused. */
  async resume(runs: readonly number[]): Promise<void> {
    for (const run of runs) await this.ask('POST', `/runs/${run}/resume`, {});
  }

  private async ask(method: string, path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(3_000);
    await this.cluster.test
      .call(path, { method, headers, body: JSON.stringify(body), signal })
      .catch(() => {});
  }
}
