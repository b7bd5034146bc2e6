/** One turn of the queue through the store's operations: submit, claim, queue, take, end. */
import type { AssignmentRow, Command, RunChange, Self, Store } from '@orrery/store';
import { workflow } from '@orrery/testkit/workflows';

const fields = (state: 'running' | 'success') => ({
  state,
  since: 1,
  round: 1,
  roundKind: 'start' as const,
  roundStarted: 1,
  picked: [],
  params: {},
});

const nothing = {
  tasks: [],
  enqueue: [],
  withdraw: [],
  outcomes: [],
  consumed: [],
  commands: [],
  messages: [],
};

/** A master and a worker on a store. */
export class Cycle {
  readonly store: Store;
  readonly self: Self;
  readonly workerEpoch: number;
  readonly command: Command;
  private taken = 0;

  private constructor(store: Store, self: Self, workerEpoch: number, command: Command) {
    this.store = store;
    this.self = self;
    this.workerEpoch = workerEpoch;
    this.command = command;
  }

  static async begin(store: Store): Promise<Cycle> {
    const now = 1;
    const { epoch } = await store.joinNode({ id: 'bench', roles: ['master'], address: '', info: {}, now });
    const self = { node: 'bench', epoch };
    const worker = await store.joinWorker({
      self,
      worker: 'w',
      address: '',
      slots: 1e9,
      groups: ['default'],
      now,
    });
    const { id } = await store.publishWorkflow({
      workflow: { ...workflow([]), name: 'bench' },
      hash: 'h',
      source: '',
      note: '',
      author: '',
      due: {},
      now,
    });
    return new Cycle(store, self, worker.epoch, {
      workflow: id,
      version: 1,
      project: 'default',
      name: 'bench',
      priority: 2,
      kind: 'normal',
      trigger: 'api',
      request: {
        project: 'default',
        priority: 'medium',
        onFailure: 'continue',
        businessTime: 0,
        timezone: 'UTC',
        dryRun: false,
        depth: 0,
      },
      params: {},
      scope: { kind: 'all', tasks: [] },
    });
  }

  /** Queues commands and claims them; the ids of the runs. */
  async start(runs: number): Promise<number[]> {
    await this.store.submitCommands({ commands: Array.from({ length: runs }, () => this.command), now: 1 });
    const { starts } = await this.store.claimWork({ self: this.self, orphans: 0, starts: runs, now: 1 });
    return starts.map(({ run }) => run);
  }

  /** Queues one attempt for each of these tasks of each run. */
  async queue(runs: readonly number[], tasks: readonly number[], runPriority = 2): Promise<void> {
    await this.commit(
      runs.map((run) => ({
        ...nothing,
        run,
        revision: 2,
        fields: fields('running'),
        startedAt: 1,
        tasks: tasks.map((task) => [
          task,
          { state: 'submitted', round: 1, since: 1, shards: [shard('out')] },
        ]),
        enqueue: tasks.map((task) => ({
          run,
          task,
          shard: -1,
          number: 1,
          workerGroup: 'default',
          runPriority,
          taskPriority: 2,
          payload,
        })),
        release: false,
        event: '{"state":"running"}',
      })),
    );
  }

  /** Reports the success of attempts; their runs end with that. */
  async finish(attempts: readonly AssignmentRow[]): Promise<void> {
    const byRun = Map.groupBy(attempts, ({ run }) => run);
    await this.commit(
      [...byRun].map(([run, list]) => ({
        ...nothing,
        run,
        revision: 3,
        fields: fields('success'),
        endedAt: 2,
        tasks: list.map(({ task }) => [
          task,
          { state: 'success', round: 1, since: 2, shards: [shard('success')] },
        ]),
        outcomes: list.map(({ task, shard, number }) => ({
          run,
          task,
          shard,
          number,
          worker: 'w',
          workerEpoch: this.workerEpoch,
          state: 'success',
          late: false,
          startedAt: 1,
          endedAt: 2,
          exitCode: 0,
          cpuTime: 1,
          peakMemory: 1,
          error: null,
          logTail: null,
        })),
        fact: {
          workflow: this.command.workflow,
          businessTime: 0,
          round: 1,
          state: 'success',
          tasks: '{"a":"success"}',
        },
        release: true,
        event: '{"state":"success"}',
      })),
    );
  }

  /** Takes work. */
  async take(room: number): Promise<readonly AssignmentRow[]> {
    const { assignments } = await this.store.take({
      self: this.self,
      worker: 'w',
      epoch: this.workerEpoch,
      number: ++this.taken,
      room,
      groups: ['default'],
      now: 1,
    });
    return assignments;
  }

  private async commit(changes: readonly RunChange[]): Promise<void> {
    await this.store.commitRuns({ self: this.self, changes, now: 1 });
  }
}

const shard = (state: 'out' | 'success') => ({ state, attempt: 1, failures: 0, lost: 0 });
const payload = JSON.stringify({
  task: 'a',
  type: 'shell',
  with: { script: 'exit 0' },
  params: {},
  owner: 'bench',
});
