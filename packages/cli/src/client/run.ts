/** `orrery run`: starts a run and, with `--wait`, ends as it ends. A dry run shows what its tasks would be given. */
import { InvalidInput } from '@orrery/core/errors';
import type { AnswerOf, Client, InputOf } from '@orrery/sdk/client';
import { stringify } from 'yaml';
import { type Connection, connect, numberOf } from './connect.ts';
import { faint, printJson, stateText, took } from './output.ts';
import { printed } from './printed.ts';
import { type ScopeOptions, scopeOf } from './scope.ts';
import { type EndedRun, waitForEnd } from './wait.ts';
import { nameOf } from './workflow-name.ts';

/** What the command was given. */
export interface RunOptions extends Connection, ScopeOptions {
  readonly param?: Readonly<Record<string, string>>;
  readonly priority?: string;
  readonly tag?: readonly string[];
  readonly businessTime?: string;
  readonly dryRun?: boolean;
  readonly counts?: boolean;
  /** The draft of the workflow instead of its live version. */
  readonly draft?: boolean;
  readonly key?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

/** Runs the command. */
export async function run(workflow: string, options: RunOptions): Promise<void> {
  const client = connect(options);
  const { param, businessTime, dryRun, counts, draft, key, tag } = options;
  if (draft && counts) throw new InvalidInput('a test run of a draft never counts: leave out --counts');
  // Nothing in a dry run takes time, and what it finds is all that it is for.
  const wait = options.wait || dryRun;
  // The server, which knows the valid priorities, reports an invalid one.
  const priority = options.priority as StartBody['priority'];
  const scope = scopeOf(options);
  const asked = { params: param, priority, tags: tag && [...tag], businessTime, dryRun, scope };
  const body = { ...asked, trigger: 'manual' as const };
  const started = draft
    ? await client.testDraft({ ...nameOf(workflow), body, idempotencyKey: key })
    : await client.startRun({ body: { workflow, counts, ...body }, idempotencyKey: key });
  await follow(client, started, { ...options, wait });
}

/** `orrery runs replay`: starts another run with what this one was started with, changed where asked. */
export async function replay(id: string, options: RunOptions & { readonly latest?: boolean }): Promise<void> {
  const client = connect(options);
  const { latest, param, businessTime, dryRun, counts, key } = options;
  const priority = options.priority as StartBody['priority'];
  const version = latest ? ('latest' as const) : undefined;
  const asked = { params: param, priority, businessTime, dryRun, counts, scope: scopeOf(options) };
  const body = { version, ...asked, trigger: 'manual' as const };
  const started = await client.replayRun({ id: numberOf(id, 'a run'), body, idempotencyKey: key });
  for (const name of started.leftOut)
    console.error(faint(`parameter "${name}" of run ${id} is left out: this version does not declare it`));
  await follow(client, started, { ...options, wait: options.wait || dryRun });
}

/** Prints what was started and, if requested, waits and exits with its outcome. */
async function follow(
  client: Client,
  started: AnswerOf<'startRun'>,
  { wait, dryRun, draft, json, url }: Pick<RunOptions, 'wait' | 'dryRun' | 'draft' | 'json' | 'url'>,
): Promise<void> {
  const why = draft ? 'a test run of a draft' : 'no whole, real run; ask for it with --counts';
  if (!json && !started.counts) console.error(faint(`run ${started.id} counts for nothing: it is ${why}`));
  if (!wait) {
    if (json) printJson(started);
    else
      console.log(
        `run ${started.id} ${stateText(started.state)}${faint(`; see "${printed(`runs show ${started.id}`, { url })}"`)}`,
      );
    return;
  }
  if (!json) console.log(`run ${started.id} ${stateText(started.state)}`);
  const ended = await waitForEnd(client, started.id, {
    taskEnded: (task) => {
      if (!json)
        console.log(`  ${task.name} ${stateText(task.state)}${task.reason ? `: ${task.reason}` : ''}`);
    },
    stillWaiting: (why) => console.error(faint(`  ${why}`)),
  });
  process.exitCode = ended.state === 'success' ? 0 : 1;
  const given = dryRun ? await givenTo(client, ended) : undefined;
  if (json)
    printJson(given ? { ...ended, tasks: ended.tasks.map((task, k) => ({ ...task, ...given[k] })) } : ended);
  else {
    given?.forEach((each, k) => {
      printGiven(ended.tasks[k].name, each);
    });
    console.log(summary(ended));
  }
}

/** What a task would be given: its parameters, and the settings of its type with these put in. */
type Given = Pick<AnswerOf<'showTaskRun'>, 'params' | 'settings'>;

/** Limit of tasks whose inputs a dry run shows: more would take long to request and to read. */
const SHOWN_TASKS = 500;

/** By task. A value that only an earlier task could provide, and a secret, are shown as written. */
async function givenTo(client: Client, { tasks }: EndedRun): Promise<Given[]> {
  const given: Given[] = [];
  for (const { id } of tasks.slice(0, SHOWN_TASKS)) {
    const { params, settings } = await client.showTaskRun({ id });
    given.push({ params, settings });
  }
  return given;
}

function printGiven(task: string, { params, settings }: Given): void {
  console.log(`${task}:`);
  for (const [name, value] of Object.entries(params ?? {})) console.log(`  ${name} = ${value}`);
  const lines = stringify(settings ?? {}, { lineWidth: 0 }).trimEnd();
  if (lines !== '{}') console.log(lines.replace(/^/gm, '  '));
}

type StartBody = InputOf<'startRun'>['body'];

function summary(run: EndedRun): string {
  return `run ${run.id} ${stateText(run.state)} after ${took(run.startedAt ?? run.createdAt, run.endedAt, run.idle)}`;
}
