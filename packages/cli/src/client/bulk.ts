/** `orrery bulk`: one change of many runs, which the server carries out; how far it is, and what became of each run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidInput } from '@orrery/core/errors';
import { type AnswerOf, ApiProblem, type InputOf } from '@orrery/sdk/client';
import { type Connection, connect, numberOf } from './connect.ts';
import { faint, fromNow, printJson, printTable, stateText } from './output.ts';
import { printed } from './printed.ts';
import { type FilterOptions, filterOf, isFiltered } from './run-filter.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** The action on the runs. */
export type BulkAction = InputOf<'createBulk'>['body']['action'];

interface BulkOptions extends Options, FilterOptions {
  readonly all?: boolean;
  readonly reason?: string;
  readonly key?: string;
  readonly dryRun?: boolean;
  readonly follow?: boolean;
}

type Bulk = AnswerOf<'showBulk'>;

/** Between two looks at a bulk that is waited for. */
const LOOK_EVERY = 200;

/** Asks for a change of all runs that match. */
export async function bulk(
  action: BulkAction,
  tags: readonly string[] | undefined,
  options: BulkOptions,
): Promise<void> {
  const filter = filterOf(options);
  if (isFiltered(filter) === (options.all === true))
    throw new InvalidInput('say which runs: by --workflow, --state and the like, or --all for all there are');
  const client = connect(options);
  const { reason, dryRun = false, key } = options;
  const made = await client
    .createBulk({ body: { action, tags, filter, reason, dryRun }, idempotencyKey: key })
    .catch((error: unknown) => {
      throw flagsNamed(error, filter);
    });
  if (made.would) return options.json ? printJson(made) : printWould(action, made.would);
  let shown = made.bulk as Bulk;
  while (options.follow && shown.state === 'running') {
    await sleep(LOOK_EVERY);
    shown = await client.showBulk({ id: shown.id });
  }
  if (options.follow && (shown.refused > 0 || shown.left > 0)) process.exitCode = 1;
  if (options.json) return printJson(shown);
  if (options.follow) return printBulk(shown);
  const look = printed(`bulk show ${shown.id}`, options);
  console.log(`bulk ${shown.id}: ${action} requested; "${look}" says how far it is`);
}

/** A refusal of the filter, by the names of the options it was made of: `--state: "odd": must be one of …`. */
function flagsNamed(error: unknown, filter: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof ApiProblem)) return error;
  const [problem] = error.problems.filter(({ path }) => path[0] === 'filter');
  if (problem === undefined) return error;
  const [, name, at] = problem.path;
  const given = filter[String(name)];
  const value = Array.isArray(given) ? given[Number(at)] : given;
  return new InvalidInput(`"${value}": ${problem.message}`, `--${name}`);
}

/** Lists them, newest first. */
export async function listBulks(
  options: Options & { readonly project?: string; readonly limit?: string },
): Promise<void> {
  const { project, limit = '20' } = options;
  const answer = await connect(options).listBulks({ project, limit: numberOf(limit, 'a limit') });
  printTable(
    answer,
    options,
    'no bulks',
    ['BULK', 'ACTION', 'STATE', 'RUNS', 'ASKED', 'REFUSED', 'LEFT', 'BY', 'SINCE'],
    answer.bulks.map(({ id, action, state, total, told, refused, left, by, at }) => [
      String(id),
      action,
      stateText(state),
      ...[total, told, refused, left].map(String),
      by,
      fromNow(at),
    ]),
  );
}

/** Shows how far one is. */
export async function showBulk(id: string, options: Options): Promise<void> {
  const shown = await connect(options).showBulk({ id: numberOf(id, 'a bulk') });
  if (options.json) return printJson(shown);
  printBulk(shown);
}

/** Prints the result of each run. */
export async function listResults(
  id: string,
  options: Options & { readonly outcome?: string; readonly limit?: string },
): Promise<void> {
  const outcome = options.outcome as InputOf<'listBulkResults'>['outcome'];
  const answer = await connect(options).listBulkResults({
    id: numberOf(id, 'a bulk'),
    outcome,
    limit: numberOf(options.limit ?? '100', 'a limit'),
  });
  printTable(
    answer,
    options,
    'no run',
    ['RUN', 'WORKFLOW', 'OUTCOME', 'STATE', 'REASON'],
    answer.results.map(({ run, project, name, outcome, state, reason }) => [
      String(run),
      name === null ? '-' : `${project}/${name}`,
      outcome === 'told' ? 'asked' : outcome,
      state === null ? '-' : stateText(state),
      reason ?? '',
    ]),
  );
  if (!options.json && answer.next) console.log(faint('there are more; raise --limit'));
}

/** Aborts a bulk before it has reached all its runs. */
export async function abortBulk(id: string, options: Options & { readonly reason?: string }): Promise<void> {
  const { reason } = options;
  const aborted = await connect(options).abortBulk({ id: numberOf(id, 'a bulk'), body: { reason } });
  if (options.json) return printJson(aborted);
  printBulk(aborted);
}

type Refusals = Bulk['refusals'];

function printWould(
  action: BulkAction,
  { total, more, allowed, refusals }: NonNullable<AnswerOf<'createBulk'>['would']>,
): void {
  const of = more ? `the newest ${total} runs` : runs(total);
  console.log(`${action} of ${of}: ${allowed} allowed, ${total - allowed} refused`);
  printRefusals(refusals);
}

function printBulk({
  id,
  action,
  state,
  gathering,
  total,
  told,
  refused,
  left,
  refusals,
  by,
  at,
}: Bulk): void {
  const of = gathering ? `${runs(total)} found so far` : runs(total);
  console.log(`bulk ${id}: ${action} of ${of}, ${stateText(state)}`);
  console.log(`  ${told} asked, ${refused} refused, ${left} left ${faint(`by ${by}, ${fromNow(at)}`)}`);
  printRefusals(refusals);
}

function printRefusals(refusals: Refusals): void {
  for (const { reason, count } of refusals) console.log(`  ${count} refused: ${reason}`);
}

function runs(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}
