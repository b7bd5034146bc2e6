/** The words of each reason: why something is in its state, and what would free it. */
import { DAY, formatDuration, HOUR, MINUTE, SECOND } from '../time/index.ts';
import type { QueuePlace, Standing, WhyReason } from './reasons.ts';

/** A reason in words. */
export interface WhySentence {
  /** Without its subject: `waits for extract (running)`. */
  readonly why: string;
  /** What would let it continue; null if nothing needs to happen. */
  readonly frees: string | null;
  /** The runs and task runs it waits for, by id. */
  readonly waitsFor: readonly string[];
}

/** Puts a reason into words. */
export function sentence(reason: WhyReason): WhySentence {
  const [why, frees, waitsFor = []] = say(reason);
  return { why, frees, waitsFor };
}

type Words = readonly [why: string, frees: string | null, waitsFor?: readonly string[]];

function say(reason: WhyReason): Words {
  switch (reason.code) {
    case 'start-queued':
      return [
        `its start command waits to be claimed, ${reason.ahead} before it`,
        'a master with room claims it',
      ];
    case 'start-no-master':
      return [
        `its start command waits to be claimed, ${reason.ahead} before it, and no master is alive`,
        'start a master',
      ];
    case 'start-masters-full':
      return [
        `its start command waits to be claimed, ${reason.ahead} before it; ${count(reason.masters, 'live master')} without room or overloaded`,
        'runs end, or another master starts',
      ];
    case 'start-overloaded':
      return [
        `its start command waits to be claimed, ${reason.ahead} before it; ${reason.reasons.join('; ')}`,
        'the load falls, or another master starts',
      ];
    case 'unowned':
      return ['has no owner; what it was told waits for a master', 'a master claims it'];
    case 'unowned-no-master':
      return ['has no owner, and no master is alive', 'start a master'];
    case 'serial': {
      const rule =
        reason.mode === 'parallel' ? `at most ${reason.limit} at once` : `one at a time (${reason.mode})`;
      const runs = `${reason.runs.length === 1 ? 'run' : 'runs'} ${listed(reason.runs.map(standing))}`;
      return [
        `runs of ${reason.workflow} go ${rule}, and ${runs} came first`,
        'one of them ends',
        idsOf(reason.runs),
      ];
    }
    case 'run-running':
      return [`${count(reason.running, 'task run')} running, ${reason.queued} queued`, null];
    case 'task-waits': {
      const { why, frees } = sentence(reason.reason);
      return [`nothing of it is running: ${reason.task} ${why}`, frees, [reason.taskRun]];
    }
    case 'next-step':
      return ['goes on with its next step', null];
    case 'run-pausing':
      return [`is pausing, ${stillOpen(reason.open)}`, 'they end or are held'];
    case 'run-stopping':
      return [`is being stopped, ${stillOpen(reason.open)}`, 'nothing of them is left'];
    case 'run-failing':
      return [`is ending after a failure${because(reason.reason)}, ${stillOpen(reason.open)}`, 'they end'];
    case 'run-paused':
      return ['is paused', 'resume it'];
    case 'run-success':
      return ['succeeded', null];
    case 'run-failed': {
      const tasks = reason.tasks.map(({ name, error }) => `${name}${because(error)}`);
      const named = tasks.length > 0 ? ` (${listed(tasks)})` : '';
      return [`failed${because(reason.reason)}${named}`, 'recover or rerun it'];
    }
    case 'run-stopped':
      return [`was stopped${because(reason.reason)}`, 'recover or rerun it'];
    case 'run-broken':
      return [
        `was set aside${because(reason.reason)}`,
        reason.unplanned ? 'replay it with the latest version, or stop it' : 'recover, rerun or stop it',
      ];
    case 'about-to-start':
      return ['is about to start', null];
    case 'limit-full': {
      const held = reason.holders.length > 0 ? ` by ${listed(reason.holders)}` : '';
      return [
        `waits for a slot of ${reason.limit}: ${reason.held} of ${reason.slots} taken${held}, ${reason.ahead} before it`,
        reason.first
          ? `${reason.first.id} ends, which usually takes ${usual(reason.first.usual)}`
          : 'one that has such a slot ends',
        reason.holders,
      ];
    }
    case 'run-not-started':
      return ['waits for its run to start', null];
    case 'never-had-turn':
      return [`never had its turn: the run is ${reason.run}`, null];
    case 'needs':
      return [
        `waits for ${listed(reason.tasks.map(({ name, state }) => `${name} (${state})`))}`,
        `they end, by the rule ${reason.rule}`,
        idsOf(reason.tasks),
      ];
    case 'no-worker':
      return [
        `${inQueue(reason)}, and no live worker serves that group`,
        `start a worker for the group ${reason.group}`,
      ];
    case 'workers-unhealthy':
      return [
        `${inQueue(reason)}, and no worker of that group is healthy: ${listed(reason.workers.map((worker) => `${worker.id} (${worker.reason})`))}`,
        'one of them is healthy again, or another worker joins the group',
      ];
    case 'no-room':
      return reason.never
        ? [
            `${inQueue(reason)}, and asks for ${reason.asks}, more than any of ${count(reason.workers, 'live worker')} has`,
            'a larger worker joins the group, or the task asks for less',
          ]
        : [
            `${inQueue(reason)}, and asks for ${reason.asks}, more than is left on any of ${count(reason.workers, 'live worker')}`,
            'attempts that asked for cores or memory end',
          ];
    case 'meant-for':
      return [
        `${inQueue(reason)}, ${reason.chosen ? 'chosen' : 'meant'} for worker ${reason.worker}`,
        `worker ${reason.worker} takes it, ${reason.chosen ? 'or any other in 2 s' : 'or is gone'}`,
      ];
    case 'slots-taken': {
      const by = reason.holders.length > 0 ? ` by ${listed(reason.holders)}` : '';
      return [
        `${inQueue(reason)}; all ${reason.slots} slots of ${count(reason.workers, 'live worker')} are taken${by}`,
        'an attempt before it ends',
        reason.holders,
      ];
    }
    case 'next-up':
      return [
        `${inQueue(reason)}; ${count(reason.workers, 'live worker')} with ${reason.free} of ${reason.slots} slots free`,
        'a worker takes it next',
      ];
    case 'entering-queue':
      return ['is on its way into the queue', null];
    case 'delayed':
      return [`waits until ${moment(reason.until)} because of its delay`, 'that time comes, or start-now'];
    case 'retrying':
      return [
        `failed: ${reason.error}; it is tried again at ${moment(reason.at)}`,
        'that time comes, or start-now',
      ];
    case 'attempt-runs':
      return running(reason.stopping, `attempt ${reason.attempt} runs on ${listed(reason.workers)}`);
    case 'attempt-waits':
      return [
        `attempt ${reason.attempt} waits on ${reason.worker}${because(reason.seen ?? undefined)}`,
        'a later poll finds its condition met, or its time is up',
      ];
    case 'shards-run':
      return running(
        reason.stopping,
        `${reason.shards} of ${reason.of} shards run on ${listed(reason.workers)}`,
      );
    case 'reported':
      return running(reason.stopping, 'its worker has reported, and the run goes on');
    case 'depends': {
      const missing = reason.on.filter(({ state }) => state !== 'success');
      if (missing.length === 0) return ['what it depends on has run', 'its run is told so next'];
      const met = reason.on.length - missing.length;
      return [
        `${listed(missing.map((item) => item.reason))}${met > 0 ? `; ${met} of ${reason.on.length} are met` : ''}`,
        'those runs succeed',
      ];
    }
    case 'approval':
      return [
        `waits for an answer to "${reason.message}"${reason.until === null ? '' : `, until ${reason.until}`}`,
        `someone answers: orrery approvals answer ${reason.taskRun} yes`,
      ];
    case 'child-queued':
      return ['waits for its child run, which is queued', 'the child run ends'];
    case 'child':
      return [
        `waits for its child run ${listed(reason.runs.map(standing))}`,
        'the child run ends',
        idsOf(reason.runs),
      ];
    case 'series':
      return [
        `${reason.ended} of ${count(reason.total, 'child run')} have ended, ${reason.open} are open`,
        'the others end',
        idsOf(reason.runs),
      ];
    case 'held':
      return ['is held because the run is paused', 'resume the run'];
    case 'excluded':
      return ['is not part of this round of the run', null];
    case 'success':
      return [`succeeded${because(reason.reason)}`, null];
    case 'passed':
      return ['is disabled and was passed over', null];
    case 'forced':
      return [`counts as success${because(reason.reason)}`, null];
    case 'skipped':
      return [`was skipped${because(reason.reason)}`, null];
    case 'killed':
      return [`was stopped${because(reason.reason)}`, null];
    case 'failed':
      return [`failed${because(reason.reason)}`, null];
  }
}

function inQueue({ group, attempt, ahead, higher }: QueuePlace): string {
  const urgent = higher > 0 ? `, ${higher} of them of higher priority` : '';
  return `attempt ${attempt} is in the queue of worker group ${group}, ${ahead} before it${urgent}`;
}

function running(stopping: boolean, what: string): Words {
  return stopping
    ? [`is being stopped; ${what}`, 'the worker reports that nothing of it is left']
    : [what, null];
}

function stillOpen(open: number): string {
  return `${count(open, 'task run')} still to end`;
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}

/** A usual duration: in its two largest units, since it is not known more precisely. */
function usual(ms: number): string {
  const grain = ms >= DAY ? HOUR : ms >= HOUR ? MINUTE : ms >= SECOND ? SECOND : 1;
  return formatDuration(ms - (ms % grain)) ?? '0s';
}

function moment(at: string | null): string {
  return at ?? 'a time not yet known';
}

function standing({ id, state }: Standing): string {
  return `${id} (${state})`;
}

function idsOf(list: readonly Standing[]): string[] {
  return list.map(({ id }) => id);
}

const SHOWN = 5;

/** `a, b and c`; long lists are cut, with a count of the rest. */
function listed(items: readonly string[]): string {
  const shown =
    items.length > SHOWN ? [...items.slice(0, SHOWN - 1), `${items.length - SHOWN + 1} more`] : items;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** `1 worker`, `3 workers`. */
function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
