/** Needs about the cluster: masters, workers, queues and limits. */
import { said } from '@orrery/core/texts';
import type { FullLimit, GroupQueue, Holdings, NodeRow, Store, WorkerRow } from '@orrery/store';
import { joinAddress, quoted, startMaster, startWorker } from '../node-commands.ts';
import { groupsOf, isMaster, masterState, workerState } from '../nodes.ts';
import { timeText } from '../time.ts';
import { countText, MOST_EXAMPLES, type Need, need } from './need.ts';

/** A node that is gone for longer than this is not missed any more. */
const MISSED_FOR = 86_400_000;
/** An attempt that a free worker has not taken for this long is stuck. */
const TAKEN_WITHIN = 60_000;

/** A clock that is off by more than this, in milliseconds, wants someone, although the node corrects it. */
const OFFSET = 5_000;

/** Nothing starts without a master. */
export function noMaster(
  joined: readonly NodeRow[],
  now: number,
  commands: number,
  dialect: Store['dialect'],
): Need[] {
  const nodes = joined.filter(isMaster);
  const alive = nodes.some((node) => masterState(node, now) === 'alive');
  if (alive || (joined.length === 0 && commands === 0)) return [];
  const since = nodes.length === 0 ? null : Math.max(...nodes.map(({ beatAt }) => beatAt));
  return [
    need('no-master', 'no-master', {
      said: said('need.noMaster', { queued: countText(commands) }),
      fields: { queued: countText(commands) },
      since,
      count: commands,
      address: '/cluster',
      command: startMaster(dialect),
    }),
  ];
}

/** A queue that no worker serves, or whose workers take nothing. */
export function stuckQueue(
  { group, count, oldest }: GroupQueue,
  workers: readonly WorkerRow[],
  assigned: readonly { readonly worker: string; readonly count: number }[],
  { now, join }: { readonly now: number; readonly join: string },
): Need[] {
  const serving = workers.filter(
    (worker) => workerState(worker, now) === 'alive' && groupsOf(worker).includes(group),
  );
  const address = `/groups/workers/${encodeURIComponent(group)}`;
  if (serving.length === 0) {
    const ever = workers.filter((worker) => groupsOf(worker).includes(group));
    const last = ever.length === 0 ? null : timeText(Math.max(...ever.map(({ beatAt }) => beatAt)));
    const since = last === null ? said('need.noneEver') : said('need.noneSince', { last });
    const waiting = countText(count);
    return [
      need('no-worker', group, {
        said: said('need.noWorker', { group, waiting, since }),
        fields: { group, waiting, last },
        since: oldest,
        count,
        address,
        command: startWorker(group, join),
      }),
    ];
  }
  const held = new Map(assigned.map(({ worker, count }) => [worker, count]));
  const free = serving.filter(({ id, slots }) => slots > (held.get(id) ?? 0));
  if (free.length === 0 || oldest > now - TAKEN_WITHIN) return [];
  return [
    need('not-taken', group, {
      said: said('need.notTaken', { group, waiting: countText(count), workers: free.length }),
      fields: { group, waiting: countText(count), workers: free.length },
      since: oldest,
      count,
      examples: free.slice(0, MOST_EXAMPLES).map(({ id }) => id),
      address,
      command: 'orrery nodes list',
    }),
  ];
}

/** Nodes that are silent, or were found dead within a day and have not come back. */
export async function missingNodes(
  store: Store,
  nodes: readonly NodeRow[],
  workers: readonly WorkerRow[],
  now: number,
): Promise<Need[]> {
  const join = joinAddress(nodes, now);
  const all = [
    ...nodes.map(
      (node) =>
        ({
          ...node,
          role: 'master',
          kind: 'node',
          state: masterState(node, now),
          command: startMaster(store.dialect, node.id),
        }) as const,
    ),
    ...workers.map(
      (each) =>
        ({
          ...each,
          role: 'worker',
          kind: 'worker',
          state: workerState(each, now),
          command: startWorker(groupsOf(each).join(), join, each.id),
        }) as const,
    ),
  ];
  const gone = all.filter(({ state, beatAt }) => state === 'gone' && beatAt > now - MISSED_FOR);
  const last = await store.lastEntries({ of: gone.map(({ kind, id }) => ({ kind, subject: id })) });
  const deaths = last.filter(({ action }) => action === 'fenced' || action === 'lost');
  const foundDead = new Map(deaths.map(({ kind, subject, at }) => [`${kind} ${subject}`, at]));
  return all.flatMap(({ id, role, kind, state, beatAt, command }) => {
    const dead = foundDead.get(`${kind} ${id}`);
    // One that left in good order has nothing to say for itself after its last beat.
    if (state !== 'silent' && (dead === undefined || dead < beatAt)) return [];
    const since = state === 'silent' ? beatAt : (dead ?? beatAt);
    return [
      need('node-missing', `${role} ${id}`, {
        said: said('need.nodeMissing', { role, node: id, state, since: timeText(since) }),
        fields: { role, node: id, state },
        since,
        count: 1,
        examples: [id],
        address: `/cluster/nodes/${encodeURIComponent(id)}`,
        command,
      }),
    ];
  });
}

/** Workers that live and take no work, with their own reasons. */
export function unhealthyWorkers(workers: readonly WorkerRow[], now: number): Need[] {
  return workers.flatMap((worker) => {
    if (workerState(worker, now) !== 'unhealthy') return [];
    const { id, unhealthy, unhealthySince } = worker;
    const reason = unhealthy ?? '';
    return [
      need('node-unhealthy', id, {
        said: said('need.nodeUnhealthy', { node: id, reason }),
        fields: { node: id, reason },
        since: unhealthySince,
        count: 1,
        examples: [id],
        address: `/cluster/nodes/${encodeURIComponent(id)}`,
        command: 'orrery nodes list',
      }),
    ];
  });
}

/** Nodes whose clocks are far off or not trusted: their ticks wait, or other nodes fire them. */
export function wrongClocks(nodes: readonly NodeRow[], now: number): Need[] {
  return nodes.flatMap((node) => {
    const { id, clockOffset, clockFault, beatAt } = node;
    const offset = clockOffset ?? 0;
    if (['silent', 'gone'].includes(masterState(node, now))) return [];
    if (clockFault === null && Math.abs(offset) <= OFFSET) return [];
    const side = offset < 0 ? 'ahead' : 'behind';
    return [
      need('wrong-clock', id, {
        said:
          clockFault === null
            ? said('need.clockOff', { node: id, offset: Math.abs(offset), side })
            : said('need.clockFault', { node: id, fault: clockFault }),
        fields: { node: id, offset, fault: clockFault },
        since: null,
        mark: beatAt,
        count: 1,
        examples: [id],
        address: `/cluster/nodes/${encodeURIComponent(id)}`,
        command: 'orrery nodes list',
      }),
    ];
  });
}

/** While masters claim: those that hold more schedules than their threshold. */
export function overThreshold({ settings, view }: Holdings): Need[] {
  if (settings.mode !== 'claim') return [];
  return view.masters.flatMap(({ name, held, alarmAbove }) => {
    if (held <= alarmAbove) return [];
    return [
      need('claim-alarm', name, {
        said: said('need.claimAlarm', { node: name, held: countText(held), above: countText(alarmAbove) }),
        fields: { node: name, held, above: alarmAbove },
        since: null,
        mark: held,
        count: held - alarmAbove,
        examples: [name],
        address: `/cluster/nodes/${encodeURIComponent(name)}`,
        command: 'orrery ownership show',
      }),
    ];
  });
}

/** A limit that stays full. */
export function fullLimit({ name, slots, held, waiting, oldest }: FullLimit): Need {
  return need('limit-full', name, {
    said: said('need.limitFull', { limit: name, held, slots, waiting: countText(waiting) }),
    fields: { limit: name, held, slots, waiting: countText(waiting) },
    since: oldest,
    count: waiting,
    address: '/groups',
    command: widerLimit(name),
  });
}

/** How to raise a limit: a task group has slots, a workflow its own setting, the others are caps on runs. */
function widerLimit(name: string): string {
  const [, kind, of] = /^(task group|workflow|tenant) (.+)$/.exec(name) ?? [];
  if (kind === 'task group') return `orrery groups set ${quoted(of)} --slots NUMBER`;
  if (kind === 'workflow') return `orrery runs list --workflow ${quoted(of)} --state running`;
  return kind === 'tenant' ? `orrery limits set --tenant ${quoted(of)}=NUMBER` : 'orrery limits show';
}
