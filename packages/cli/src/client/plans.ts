/**
 * `orrery cluster` and `orrery plan`: the leader and its registry, and which master fires each schedule and
 * why.
 */
import { type Connection, connect, numberOf } from './connect.ts';
import { fromNow, printJson, stateText, table } from './output.ts';
import { scheduleOf } from './which-schedule.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** Shows the cluster. The exit code is 1 while something is not as it should be. */
export async function showCluster(options: Options): Promise<void> {
  const cluster = await connect(options).showCluster();
  if (cluster.problems.length > 0) process.exitCode = 1;
  if (options.json) return printJson(cluster);
  const { mode, leader, registry, plan, masters, problems } = cluster;
  console.log(`mode ${mode}, leader ${leader ?? 'none'}`);
  console.log(
    registry
      ? `registry ${registry.server}, cluster ${registry.cluster}, session timeout ${registry.sessionTimeout} ms, without it masters ${registry.onLoss}`
      : 'no registry: the beat in the database says who is alive',
  );
  if (plan) console.log(`plan ${plan.number}, made ${fromNow(plan.writtenAt)}: ${plan.reason}`);
  const rows = masters.map(({ id, state, plan, share }) => [
    id,
    stateText(state),
    String(plan ?? '-'),
    String(share ?? '-'),
  ]);
  console.log(table(['MASTER', 'STATE', 'PLAN', 'SCHEDULES'], rows));
  for (const problem of problems) console.log(`problem: ${problem}`);
}

/** Lists the last plans. */
export async function listPlans(options: Options): Promise<void> {
  const { plans } = await connect(options).listPlans({ limit: 20 });
  if (options.json) return printJson(plans);
  if (plans.length === 0) return console.log('no plan was made: there is no registry, or no master yet');
  const rows = plans.map(({ number, leader, masters, schedules, moved, writtenAt, adoptedAt, reason }) => [
    String(number),
    leader,
    String(masters.length),
    `${moved}/${schedules}`,
    fromNow(writtenAt),
    adoptedAt === null ? '-' : `${Date.parse(adoptedAt) - Date.parse(writtenAt)} ms`,
    reason,
  ]);
  console.log(table(['PLAN', 'LEADER', 'MASTERS', 'MOVED', 'MADE', 'ADOPTED IN', 'WHY'], rows));
}

/** Shows the pieces of one plan. */
export async function showPlan(options: Options & { readonly number: string }): Promise<void> {
  const number = numberOf(options.number, 'the number of a plan', 1);
  const plan = await connect(options).showPlan({ number });
  if (options.json) return printJson(plan);
  const { leader, reason, parts } = plan;
  console.log(`plan ${number} of ${leader}: ${reason}`);
  if (parts === null) return console.log('it has no ranges: masters compute or claim what they fire');
  const rows = parts.map(({ master, before, from, to, schedules }) => [
    master ?? '-',
    `${from ?? 'first'}..${to ?? 'last'}`,
    String(schedules),
    before === master ? '' : `from ${before ?? 'nobody'}`,
  ]);
  console.log(table(['MASTER', 'IDS', 'SCHEDULES', 'MOVED'], rows));
}

/** Lists what happened to nodes and plans. */
export async function listClusterEvents(
  options: Options & { readonly node?: string; readonly limit: string },
): Promise<void> {
  const { node, json } = options;
  const limit = numberOf(options.limit, 'a number of events', 1);
  const { events } = await connect(options).listClusterEvents({ node, limit });
  if (json) return printJson(events);
  if (events.length === 0) return console.log('nothing happened yet');
  const rows = events.map(({ at, node, what, by, plan, ...event }) => [
    fromNow(at),
    node,
    plan === null ? what : `plan ${plan}`,
    by ?? '-',
    detailOf(event),
  ]);
  console.log(table(['WHEN', 'NODE', 'WHAT', 'BY', 'DETAIL'], rows));
}

type Event = Awaited<ReturnType<ReturnType<typeof connect>['listClusterEvents']>>['events'][number];

function detailOf({
  epoch,
  runs,
  schedules,
  attempts,
  took,
  reason,
}: Pick<Event, 'epoch' | 'runs' | 'schedules' | 'attempts' | 'took' | 'reason'>): string {
  return [
    reason,
    epoch && `epoch ${epoch}`,
    runs && `${runs} runs handed over`,
    schedules && `${schedules} schedules moved`,
    attempts && `${attempts} attempts lost`,
    took !== null && `adopted after ${took} ms`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Prints which master holds a schedule. */
export async function showHolder(given: string, name: string | undefined, options: Options): Promise<void> {
  const client = connect(options);
  const answer = await client.showHolder({ id: await scheduleOf(client, given, name) });
  if (options.json) return printJson(answer);
  const { schedule, holder, since, why } = answer;
  const from = since === null ? '' : `, given to it ${fromNow(since)}`;
  console.log(`schedule ${schedule} is held by ${holder ?? 'no single master'}${from}`);
  console.log(why);
}
