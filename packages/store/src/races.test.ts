import { testSchema } from '@orrery/testkit/databases';
import { fireTick } from '@orrery/testkit/fire-tick';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Actor, RaceStage } from './race-stage.ts';
import {
  attemptOf,
  changeOf,
  claimOrphans,
  claimStarts,
  commandOf,
  commit,
  fieldsOf,
  joinWorker,
  NOW,
  publish,
  readInboxes,
  readyOf,
  scheduleOf,
  startRuns,
  takeFor,
  workflowOf,
} from './testing.ts';

describe('races between two masters on PostgreSQL', () => {
  let stage: RaceStage;
  let a: Actor;
  let b: Actor;
  beforeAll(async () => {
    stage = new RaceStage(await testSchema());
  });
  beforeEach(async () => {
    a = await stage.join('a');
    b = await stage.join('b');
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  const count = async (from: string) =>
    Number((await stage.query<{ count: string }>(`SELECT count(*) FROM ${from}`))[0].count);

  it('a workflow that goes offline waits for the start that is being written, and no later one is', async () => {
    const workflow = await publish(a.store);
    const start = ({ store }: Actor) => store.submitCommand({ command: commandOf(workflow), now: NOW });
    const setOnline = { project: 'default', name: 'flow', online: false, by: 'someone', now: NOW };
    const stop = a.stopBefore('COMMIT');
    const first = start(a);
    await stop.reached;
    const offline = b.store.setWorkflowOnline(setOnline);
    await stage.blocked(b.self);
    stop.release();
    expect(await first).toMatchObject({ repeated: false });
    await offline;
    await expect(start(a)).rejects.toThrow('is offline; put it online first');
    expect(await count('command')).toBe(1);
  });

  it('a child that was decided on before its workflow went offline does not start; its parent hears of it', async () => {
    const child = await publish(b.store, 'child');
    const [run] = await startRuns(a.store, a.self);
    const parent = { run, task: 0, round: 1, element: 0 };
    const stop = a.stopBefore('FROM workflow WHERE id = ANY');
    const written = commit(a.store, a.self, changeOf(run, { commands: [commandOf(child, { parent })] }));
    await stop.reached;
    await b.store.setWorkflowOnline({
      project: 'default',
      name: 'child',
      online: false,
      by: 'someone',
      now: NOW,
    });
    stop.release();
    await written;
    expect(await count('command')).toBe(0);
    const [{ body }] = await stage.query<{ body: string }>('SELECT body FROM inbox');
    expect(JSON.parse(body)).toMatchObject({
      type: 'child',
      state: 'failed',
      reason: expect.stringContaining('offline'),
    });
  });

  it('two workflows published at once that would start each other: only the first is', async () => {
    const after = (name: string, other: string) => ({
      workflow: {
        ...workflowOf(name),
        triggers: [
          { name: 'main', after: { workflows: [{ name: other }], states: ['success'], when: 'any' } },
        ],
      } as unknown as ReturnType<typeof workflowOf>,
      hash: name,
      source: '',
      note: '',
      author: 'someone',
      due: {},
      now: NOW,
    });
    const stop = a.stopBefore('COMMIT');
    const first = a.store.publishWorkflow(after('x', 'y'));
    await stop.reached;
    const second = b.store.publishWorkflow(after('y', 'x'));
    const refused = expect(second).rejects.toThrow(
      'triggers would start runs without end: default/y -> default/x -> default/y; nothing was changed',
    );
    await stage.blocked(b.self);
    stop.release();
    expect(await first).toMatchObject({ changed: true });
    await refused;
    expect(await count('workflow_version')).toBe(1);
    expect(await count(`workflow WHERE live IS NOT NULL`)).toBe(1);
  });

  describe('takes', () => {
    let run: number;
    let epoch: number;
    beforeEach(async () => {
      [run] = await startRuns(a.store, a.self);
      epoch = await joinWorker(a.store, a.self);
      const enqueue = [0, 1, 2].map((task) => readyOf(attemptOf(run, task)));
      await commit(a.store, a.self, changeOf(run, { enqueue }));
    });
    const tasks = (answer: Awaited<ReturnType<typeof takeFor>>) =>
      answer.assignments.map(({ task }) => task).sort();

    it('the same take at two masters gives the same to both', async () => {
      const stop = a.stopBefore('INSERT INTO assignment');
      const first = takeFor(a.store, a.self, epoch, 1, { room: 2 });
      await stop.reached;
      const second = takeFor(b.store, b.self, epoch, 1, { room: 2 });
      await stage.blocked(b.self);
      stop.release();
      expect(tasks(await first)).toEqual([0, 1]);
      expect(tasks(await second)).toEqual([0, 1]);
      expect([await count('assignment'), await count('ready')]).toEqual([2, 1]);
    });

    it('two workers never get the same row, and neither waits for the other', async () => {
      const other = await joinWorker(b.store, b.self, 'w2');
      const stop = a.stopBefore('COMMIT');
      const first = takeFor(a.store, a.self, epoch, 1, { room: 2 });
      await stop.reached;
      expect(tasks(await takeFor(b.store, b.self, other, 1, { worker: 'w2', room: 2 }))).toEqual([2]);
      stop.release();
      expect(tasks(await first)).toEqual([0, 1]);
    });

    it('a stop during a take finds the assignment and marks it to be killed', async () => {
      const stop = b.stopBefore('COMMIT');
      const taking = takeFor(b.store, b.self, epoch, 1, { room: 1 });
      await stop.reached;
      const withdraw = [0, 1].map((task) => ({ ...attemptOf(run, task), kill: true }));
      const stopping = commit(a.store, a.self, changeOf(run, { withdraw }));
      await stage.blocked(a.self);
      stop.release();
      expect(tasks(await taking)).toEqual([0]);
      expect((await stopping).withdrawn).toEqual([attemptOf(run, 1)]);
      expect(await stage.query('SELECT task, killed FROM assignment')).toEqual([{ task: '0', killed: '1' }]);
    });

    it('a take during a stop passes over what is being withdrawn', async () => {
      const stop = a.stopBefore('COMMIT');
      const withdraw = [{ ...attemptOf(run, 0), kill: true }];
      const stopping = commit(a.store, a.self, changeOf(run, { withdraw }));
      await stop.reached;
      expect(tasks(await takeFor(b.store, b.self, epoch, 1))).toEqual([1, 2]);
      stop.release();
      expect((await stopping).withdrawn).toEqual([attemptOf(run, 0)]);
    });

    it('work is never kept for a worker that is declared lost while it is queued', async () => {
      const stop = a.stopBefore('COMMIT');
      const enqueue = [readyOf(attemptOf(run, 9), { target: 'w1' })];
      const queueing = commit(a.store, a.self, changeOf(run, { enqueue }));
      await stop.reached;
      const losing = b.store.loseWorker({ self: b.self, worker: 'w1', epoch, beat: 0, now: NOW });
      await stage.blocked(b.self);
      stop.release();
      await queueing;
      expect(await losing).toEqual({ lost: true });
      expect(await count('ready WHERE target IS NOT NULL')).toBe(0);
      expect(await count('ready WHERE task = 9')).toBe(1);
    });
  });

  describe('claims', () => {
    it('one inbox is claimed by one of them, and the other does not wait', async () => {
      const [run] = await startRuns(a.store, a.self);
      await commit(a.store, a.self, changeOf(run, { release: true }));
      const message = { type: 'control', control: { type: 'stop' }, by: 'me' } as const;
      await a.store.sendControl({ run, message, now: NOW });
      const stop = a.stopBefore('COMMIT');
      const first = claimOrphans(a.store, a.self, 5);
      await stop.reached;
      expect(await claimOrphans(b.store, b.self, 5)).toEqual([]);
      stop.release();
      expect(await first).toEqual([run]);
      expect(await claimOrphans(b.store, b.self, 5)).toEqual([]);
    });

    it('commands are claimed by one of them, and the other takes the next ones', async () => {
      const workflow = await publish(a.store);
      const commands = Array.from({ length: 4 }, () => commandOf(workflow));
      const runs = await a.store.submitCommands({ commands, now: NOW });
      const stop = a.stopBefore('COMMIT');
      const first = claimStarts(a.store, a.self, 2);
      await stop.reached;
      const second = await claimStarts(b.store, b.self, 9);
      stop.release();
      expect((await first).map(({ run }) => run)).toEqual(runs.slice(0, 2));
      expect(second.map(({ run }) => run)).toEqual(runs.slice(2));
    });

    it('a stop of a command that is being claimed goes to its new owner', async () => {
      const workflow = await publish(a.store);
      const { run } = await a.store.submitCommand({ command: commandOf(workflow), now: NOW });
      const stop = a.stopBefore('COMMIT');
      const claiming = claimStarts(a.store, a.self, 2);
      await stop.reached;
      const message = { type: 'control', control: { type: 'stop' }, by: 'me' } as const;
      const stopping = b.store.sendControl({ run, message, now: NOW });
      await stage.blocked(b.self);
      stop.release();
      expect(await claiming).toHaveLength(1);
      expect(await stopping).toEqual({ owner: 'a' });
      expect(await readInboxes(a.store, a.self)).toMatchObject([{ run, message }]);
    });

    it('one key asked twice at once starts one run', async () => {
      const command = commandOf(await publish(a.store));
      const stop = a.stopBefore('COMMIT');
      const first = a.store.submitCommand({ command, key: 'k', now: NOW });
      await stop.reached;
      const second = b.store.submitCommand({ command, key: 'k', now: NOW });
      await stage.blocked(b.self);
      stop.release();
      const { run } = await first;
      expect(await second).toEqual({ run, repeated: true });
      expect(await count('command')).toBe(1);
    });

    it('one workflow published for the first time by both becomes one with two versions', async () => {
      const input = (hash: string) => ({
        workflow: workflowOf('flow'),
        hash,
        source: '',
        note: '',
        author: '',
        due: {},
        now: NOW,
      });
      const stop = a.stopBefore('COMMIT');
      const first = a.store.publishWorkflow(input('x'));
      await stop.reached;
      const second = b.store.publishWorkflow(input('y'));
      await stage.blocked(b.self);
      stop.release();
      const { id } = await first;
      expect(await second).toEqual({ id, version: 2, changed: true });
    });
  });

  describe('schedules', () => {
    let workflow: number;
    let schedule: number;
    beforeEach(async () => {
      workflow = await publish(a.store, 'flow', [scheduleOf()]);
      [{ id: schedule }] = await a.store.listSchedules({});
    });
    const fire = ({ store, self }: Actor) =>
      fireTick(store, {
        self,
        schedule,
        version: 1,
        seen: NOW,
        firedUntil: NOW + 1_000,
        nextDue: NOW + 2_000,
        ticks: [{ due: NOW + 1_000, command: commandOf(workflow) }],
        now: NOW,
      });
    const turnOff = ({ store }: Actor) =>
      store.setSchedule({ id: schedule, enabled: false, nextDue: null, now: NOW });

    it('a tick that both fire becomes one run', async () => {
      const stop = a.stopBefore('COMMIT');
      const first = fire(a);
      await stop.reached;
      const second = fire(b);
      await stage.blocked(b.self);
      stop.release();
      expect((await first).fired).toBe(true);
      expect(await second).toEqual({ fired: false, runs: [] });
      expect([await count('tick'), await count('command')]).toEqual([1, 1]);
    });

    it('a schedule turned off while a tick is on its way stays off after it', async () => {
      const stop = a.stopBefore('COMMIT');
      const firing = fire(a);
      await stop.reached;
      const off = turnOff(b);
      await stage.blocked(b.self);
      stop.release();
      expect((await firing).fired).toBe(true);
      expect(await off).toMatchObject({ enabled: false, version: 2, firedUntil: NOW + 1_000, nextDue: null });
    });

    it('a tick that waits for a schedule to be turned off does not fire', async () => {
      const stop = b.stopBefore('COMMIT');
      const off = turnOff(b);
      await stop.reached;
      const firing = fire(a);
      await stage.blocked(a.self);
      stop.release();
      await off;
      expect((await firing).fired).toBe(false);
      expect(await count('command')).toBe(0);
    });
  });

  describe('a calendar', () => {
    let workflow: number;
    let schedule: number;
    const days = { description: '', dates: [], yearly: [], weekdays: [] };
    const key = { project: 'default', name: 'holidays', by: 'lw', now: NOW };
    beforeEach(async () => {
      await a.store.setCalendar({ ...key, calendar: days });
      workflow = await publish(a.store, 'flow', [{ ...scheduleOf(), calendar: 'holidays' }]);
      [{ id: schedule }] = await a.store.listSchedules({});
    });
    const fire = ({ store, self }: Actor) =>
      fireTick(store, {
        self,
        schedule,
        version: 1,
        seen: NOW,
        firedUntil: NOW + 1_000,
        nextDue: NOW + 2_000,
        ticks: [{ due: NOW + 1_000, command: commandOf(workflow) }],
        now: NOW,
      });
    const setDays = ({ store }: Actor, revision?: number) =>
      store.setCalendar({ ...key, calendar: { ...days, dates: ['2030-01-01'] }, revision });

    it('changed while a tick is on its way does not make that tick due again', async () => {
      const stop = a.stopBefore('COMMIT');
      const firing = fire(a);
      await stop.reached;
      const set = setDays(b);
      await stage.blocked(b.self);
      stop.release();
      expect((await firing).fired).toBe(true);
      await set;
      expect(await a.store.listSchedules({})).toMatchObject([
        { firedUntil: NOW + 1_000, nextDue: NOW + 2_000, version: 2 },
      ]);
    });

    it('that is being changed holds back a tick prepared with its old days', async () => {
      const stop = b.stopBefore('COMMIT');
      const set = setDays(b);
      await stop.reached;
      const firing = fire(a);
      await stage.blocked(a.self);
      stop.release();
      await set;
      expect((await firing).fired).toBe(false);
      expect(await count('command')).toBe(0);
    });

    it('changed by two who read the same revision is changed by the first', async () => {
      const stop = a.stopBefore('COMMIT');
      const first = setDays(a, 1);
      await stop.reached;
      const second = setDays(b, 1);
      const refused = expect(second).rejects.toThrow('was changed by someone else');
      await stage.blocked(b.self);
      stop.release();
      expect((await first).calendar.revision).toBe(2);
      await refused;
    });
  });

  describe('a priority', () => {
    const set = ({ store }: Actor, run: number) =>
      store.setRunPriority({ run, priority: 'highest', by: 'lw', now: NOW });

    it('of a command that is being claimed comes too late, and says so', async () => {
      const workflow = await publish(a.store);
      const { run } = await a.store.submitCommand({ command: commandOf(workflow), now: NOW });
      const stop = a.stopBefore('COMMIT');
      const claiming = claimStarts(a.store, a.self, 2);
      await stop.reached;
      const late = expect(set(b, run)).rejects.toThrow(/^the run (is starting|has started)$/);
      await stage.blocked(b.self);
      stop.release();
      expect((await claiming)[0].command.priority).toBe(2);
      await late;
      expect(await count(`history WHERE action = 'set-priority'`)).toBe(0);
    });

    it('that is being set is that of the claim after it; others are claimed meanwhile', async () => {
      const workflow = await publish(a.store);
      const commands = [commandOf(workflow), commandOf(workflow)];
      const [first, second] = await a.store.submitCommands({ commands, now: NOW });
      const stop = b.stopBefore('COMMIT');
      const setting = set(b, first);
      await stop.reached;
      expect((await claimStarts(a.store, a.self, 9)).map(({ run }) => run)).toEqual([second]);
      stop.release();
      expect(await setting).toEqual({ before: 'medium' });
      const [claimed] = await claimStarts(a.store, a.self, 9);
      expect(claimed).toMatchObject({
        run: first,
        command: { priority: 0, request: { priority: 'highest' } },
      });
    });

    it('that is being set while a slot becomes free decides who gets it', async () => {
      await a.store.setRunCaps({ caps: { runs: 1, tenants: {} }, revision: 0, by: 'lw', now: NOW });
      const workflow = await publish(a.store);
      const commands = Array.from({ length: 3 }, () => commandOf(workflow));
      const [first, , third] = await a.store.submitCommands({ commands, now: NOW });
      await claimStarts(a.store, a.self, 9);
      const stop = b.stopBefore('COMMIT');
      const setting = set(b, third);
      await stop.reached;
      const ended = { fields: fieldsOf('success'), endedAt: NOW, release: true, limits: { free: true } };
      const freeing = commit(a.store, a.self, changeOf(first, ended));
      await stage.blocked(a.self);
      stop.release();
      await setting;
      await freeing;
      expect(await claimOrphans(a.store, a.self, 9)).toEqual([third]);
    });
  });

  describe('a bulk', () => {
    const step = ({ store, self }: Actor) => store.stepBulk({ self, limit: 10, now: NOW });
    const nothing = { inboxes: false, more: false };
    let runs: readonly number[];
    beforeEach(async () => {
      runs = await startRuns(b.store, b.self, 3);
      const choice = { ids: runs };
      await b.store.createBulk({ action: 'stop', choice, project: null, by: 'me', now: NOW });
    });

    it('is carried on by one at a time, and a run is told once', async () => {
      const stop = a.stopBefore('COMMIT');
      const stepping = step(a);
      await stop.reached;
      expect(await step(b)).toEqual(nothing);
      stop.release();
      expect(await stepping).toEqual({ inboxes: true, more: true });
      expect(await step(b)).toEqual(nothing);
      expect((await readInboxes(b.store, b.self)).map(({ run }) => run)).toEqual(runs);
    });

    it('is aborted before a step or after it, never in its midst', async () => {
      const [{ id }] = await b.store.listBulks({ limit: 1 });
      const stop = a.stopBefore('COMMIT');
      const stepping = step(a);
      await stop.reached;
      const aborting = b.store.abortBulk({ id, by: 'me', now: NOW });
      await stage.blocked(b.self);
      stop.release();
      await stepping;
      expect(await aborting).toBe(false);
      expect((await b.store.readBulks({ ids: [id] }))[0]).toMatchObject({ state: 'done', told: 3 });
    });
  });

  it('the feed of one writer is read although another, with earlier events, has not committed', async () => {
    const [mine] = await startRuns(a.store, a.self);
    const [its] = await startRuns(b.store, b.self);
    const { position } = await a.store.readFeed({ limit: 9 });
    const stop = a.stopBefore('COMMIT');
    const slow = commit(a.store, a.self, changeOf(mine, { event: 'slow' }));
    await stop.reached;
    await commit(b.store, b.self, changeOf(its, { event: 'quick' }));
    const first = await b.store.readFeed({ position, limit: 9 });
    expect(first.events.map(({ body }) => body)).toEqual(['quick']);
    stop.release();
    await slow;
    const second = await b.store.readFeed({ position: first.position, limit: 9 });
    expect(second).toMatchObject({ events: [{ body: 'slow' }], resync: false });
  });

  describe('dependents', () => {
    const end = (run: number) => {
      const fact = { workflow: 7, businessTime: 5, round: 1, state: 'success', tasks: '{}' };
      return commit(b.store, b.self, changeOf(run, { fields: fieldsOf('success'), fact }));
    };

    it('whoever comes second sees the other: a wait that commits after the wake finds the fact', async () => {
      const [dependent] = await startRuns(a.store, a.self);
      const [upstream] = await startRuns(b.store, b.self);
      const stop = a.stopBefore('COMMIT');
      const open = [{ task: 0, round: 1, on: [7], lookAt: NOW }];
      const waiting = commit(a.store, a.self, changeOf(dependent, { waits: { open } }));
      await stop.reached;
      await end(upstream);
      expect(await b.store.wakeDependents({ self: b.self, workflows: [7], now: NOW })).toEqual([]);
      stop.release();
      await waiting;
      expect(await a.store.readFacts({ wanted: [{ workflow: 7, from: 0, to: 9 }] })).toHaveLength(1);
    });

    it('whoever comes second sees the other: a wait that commits before the wake is woken', async () => {
      const [dependent] = await startRuns(a.store, a.self);
      const [upstream] = await startRuns(b.store, b.self);
      const stop = b.stopBefore('COMMIT');
      const ending = end(upstream);
      await stop.reached;
      const open = [{ task: 0, round: 1, on: [7], lookAt: NOW }];
      await commit(a.store, a.self, changeOf(dependent, { waits: { open } }));
      expect(await a.store.readFacts({ wanted: [{ workflow: 7, from: 0, to: 9 }] })).toEqual([]);
      stop.release();
      await ending;
      expect(await b.store.wakeDependents({ self: b.self, workflows: [7], now: NOW })).toEqual([
        { run: dependent, owner: 'a' },
      ]);
    });
  });
});
