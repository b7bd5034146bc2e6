/** `orrery runs`: list them, show one, and ask for changes. */
import type { AnswerOf, InputOf } from '@orrery/sdk/client';
import { type AskOptions, askBody, askEach } from './ask-each.ts';
import { type Connection, connect, numberOf } from './connect.ts';
import {
  faint,
  fromNow,
  printJson,
  runStateText,
  stateText,
  table,
  timeText,
  took,
  versionText,
} from './output.ts';
import { printed } from './printed.ts';
import { type FilterOptions, filterOf, isFiltered } from './run-filter.ts';
import { type ScopeOptions, scopeOf } from './scope.ts';
import { hasEnded } from './states.ts';
import { type ShownTask, tasksOf } from './tasks.ts';

/** Options of every command here. */
interface Options extends Connection {
  readonly json?: boolean;
}

/** Task runs that people are shown; a script gets all of them. */
const SHOWN_TASKS = 1_000;

/** Lists runs, newest first unless another order is given. The server reports an invalid order. */
export async function listRuns(
  options: Options & FilterOptions & { readonly limit?: string; readonly order?: string },
): Promise<void> {
  const { limit = '20' } = options;
  const order = options.order as InputOf<'listRuns'>['order'];
  const filter = filterOf(options);
  const answer = await connect(options).listRuns({
    ...filter,
    order,
    limit: numberOf(limit, 'a limit'),
  });
  if (options.json) return printJson(answer);
  if (answer.runs.length === 0)
    return console.log(
      isFiltered(filter) ? 'no run matches' : `no runs yet; start one with "${printed('run NAME', options)}"`,
    );
  console.log(
    table(
      ['RUN', 'WORKFLOW', 'BUSINESS TIME', 'STATE', 'TRIGGER', 'CREATED', 'TOOK'],
      answer.runs.map((run) => [
        String(run.id),
        `${run.project}/${run.name} ${faint(versionText(run.version))}`,
        run.kind === 'backfill' ? '-' : timeText(run.businessTime),
        runStateText(run),
        run.kind === 'backfill' ? `${run.trigger} ${faint('backfill')}` : run.trigger,
        fromNow(run.createdAt),
        took(run.startedAt, run.endedAt, run.idle),
      ]),
    ),
  );
  if (answer.next) console.log(faint('there are more; raise --limit'));
}

/** Sets the tags of a run. */
export async function tagRun(id: string, tags: readonly string[], options: Options): Promise<void> {
  const answer = await connect(options).setRunTags({ id: numberOf(id, 'a run'), body: { tags: [...tags] } });
  if (options.json) return printJson(answer);
  console.log(`run ${answer.run} has ${answer.tags.length === 0 ? 'no tags' : answer.tags.join(', ')}`);
}

/** Shows one run with its task runs. */
export async function showRun(id: string, options: Options): Promise<void> {
  const client = connect(options);
  const run = await client.showRun({ id: numberOf(id, 'a run') });
  if (options.json) return printJson({ ...run, tasks: await tasksOf(client, run.id) });
  console.log(
    `run ${run.id} of ${run.project}/${run.name} ${versionText(run.version)}: ${stateText(run.state)}`,
  );
  const params = Object.entries(run.params).map(([name, value]) => `${name}=${value}`);
  const facts = [
    ['created', `${fromNow(run.createdAt)} by ${run.trigger}, priority ${run.priority}`],
    ...(run.startedBy === null ? [] : [['started by', run.startedBy]]),
    ...(run.cause ? [['trigger', causeText(run.cause)]] : []),
    ...(run.replayOf === null ? [] : [['replay of', `run ${run.replayOf}`]]),
    ...(run.replays.length === 0 ? [] : [['replayed by', run.replays.map(({ id }) => id).join(' ')]]),
    ['business time', `${timeText(run.businessTime)} (version ${run.period})`],
    ['took', took(run.startedAt, run.endedAt, run.idle)],
    ['owner', run.owner ?? '-'],
    ...(run.dryRun ? [['dry run', 'yes']] : []),
    ...(run.counted ? [] : [['counts', 'for nothing: it is no whole, real run']]),
    ...(run.backfill ? [['backfill', backfillText(run.backfill)]] : []),
    ...(params.length > 0 ? [['parameters', params.join(' ')]] : []),
    ...(run.tags.length > 0 ? [['tags', run.tags.join(', ')]] : []),
    ...run.requested.map(({ name, at }) => [name, `requested ${fromNow(at)}`]),
  ];
  console.log(facts.map(([name, value]) => `  ${faint(name.padEnd(13))}  ${value}`).join('\n'));
  if (!hasEnded(run.state)) {
    const { why, frees } = run.why;
    console.log(`  ${faint('why'.padEnd(13))}  ${why}${frees ? faint(`; goes on when: ${frees}`) : ''}`);
  }
  const tasks = await tasksOf(client, run.id, SHOWN_TASKS);
  if (tasks.length > 0) console.log(`\n${tasksTable(tasks)}`);
  if (run.kind === 'backfill' && run.children.length > 0) {
    const rows = run.children.map(({ id, state, businessTime }) => [
      timeText(businessTime),
      String(id),
      stateText(state),
    ]);
    console.log(`\n${table(['BUSINESS TIME', 'RUN', 'STATE'], rows)}`);
  }
  if (run.progress.total > tasks.length) console.log(faint('there are more tasks; use --json'));
}

function causeText({ trigger, run, workflow }: NonNullable<AnswerOf<'showRun'>['cause']>): string {
  return run === null ? `${trigger}, by a request` : `${trigger}, after run ${run} of ${workflow}`;
}

function backfillText(backfill: NonNullable<AnswerOf<'showRun'>['backfill']>): string {
  const { total, done, failed, open, next, parallel, version } = backfill;
  const rest = next === null ? '' : `; next ${timeText(next)}`;
  const of = version === null ? 'the live version at each start' : `version ${version}`;
  return `${done} of ${total} done, ${failed} failed, ${open} open, ${parallel} at once, of ${of}${rest}`;
}

function tasksTable(tasks: readonly ShownTask[]): string {
  return table(
    ['TASK', 'STATE', 'SINCE', 'ATTEMPT', 'WORKER', 'REASON'],
    tasks.map((task) => [
      task.name,
      stateText(task.state),
      fromNow(task.since),
      task.attempt === 0 ? '-' : String(task.attempt),
      task.worker ?? '-',
      task.reason ?? '',
    ]),
  );
}

/** Changes the priority of each run; one that has started makes the command fail. */
export async function setPriority(
  priority: string,
  ids: readonly string[],
  options: Connection & AskOptions,
): Promise<void> {
  const client = connect(options);
  const subjects = ids.map((id) => ({ id: numberOf(id, 'a run'), what: `run ${id}` }));
  // The server, which knows the valid words, reports an invalid one.
  const body = { priority, ...askBody(options) } as InputOf<'setRunPriority'>['body'];
  const ask = async (id: number) => ({ would: null, ...(await client.setRunPriority({ id, body })) });
  await askEach(`priority ${priority}`, subjects, ask, options);
}

/** Asks for a change of each run; one that is refused makes the command fail. */
export async function controlRuns(
  control: 'pause' | 'resume' | 'stop' | 'recover' | 'rerun',
  ids: readonly string[],
  options: Connection & AskOptions & ScopeOptions,
): Promise<void> {
  const client = connect(options);
  const scope = scopeOf(options);
  const ask = {
    pause: client.pauseRun,
    resume: client.resumeRun,
    stop: client.stopRun,
    recover: client.recoverRun,
    rerun: client.rerunRun,
  }[control];
  const subjects = ids.map((id) => ({ id: numberOf(id, 'a run'), what: `run ${id}` }));
  const body = { ...(scope && { scope }), ...askBody(options) };
  await askEach(control, subjects, (id) => ask({ id, body }), options);
}
