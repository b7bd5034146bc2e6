/**
 * `orrery apply`: publishes workflow files and workflows of modules, each file as a whole. All of them are checked before
 * the first is published; where one is refused all the same, or the server is gone, it is told what was published before.
 */
import { type AnswerOf, ApiProblem, type Client, type InputOf, type InputProblem } from '@orrery/sdk/client';
import { differenceRow, differencesText } from './compare.ts';
import { type Connection, connect } from './connect.ts';
import { faint, printJson } from './output.ts';
import { readSources, refuseTwice, type Source, tellOthers } from './sources.ts';

/** What the command was given. */
export interface ApplyOptions extends Connection {
  readonly file: readonly string[];
  readonly dryRun?: boolean;
  readonly note?: string;
  readonly json?: boolean;
}

type Published = AnswerOf<'publishWorkflows'>['workflows'][number];
type Entry = Published & { readonly file: string };
type FileProblem = InputProblem & { readonly file: string };

/** Runs the command. */
export async function apply(options: ApplyOptions): Promise<void> {
  const client = connect(options);
  const { sources, others } = await readSources(options.file);
  if (!options.json) tellOthers(others);
  const checked = await check(client, sources, options);
  if (!checked) return;
  refuseTwice(checked);
  if (options.dryRun) print(checked, options);
  else await publish(client, sources, options);
}

/** What publishing every file would do; undefined when one had problems, which are then told. */
async function check(
  client: Client,
  sources: readonly Source[],
  { json }: ApplyOptions,
): Promise<Entry[] | undefined> {
  const would: Entry[] = [];
  const problems: FileProblem[] = [];
  for (const source of sources) {
    try {
      would.push(...(await send(client, source, { dryRun: true })));
    } catch (error) {
      problems.push(...problemsOf(source, error));
    }
  }
  if (problems.length === 0) return would;
  if (json) printJson({ problems });
  else await tell(problems);
  process.exitCode = 2;
  return undefined;
}

/** Publishes file after file. One that is not published ends it: those before it are told, and those after it. */
async function publish(client: Client, sources: readonly Source[], options: ApplyOptions): Promise<void> {
  const published: Entry[] = [];
  for (const [k, source] of sources.entries()) {
    try {
      published.push(...(await send(client, source, { source: 'apply', note: options.note })));
    } catch (error) {
      print(published, options);
      if (sources.length > 1) tellLeft(sources.slice(k), error instanceof ApiProblem);
      await tell(problemsOf(source, error));
      process.exitCode = 2;
      return;
    }
  }
  print(published, options);
}

/** Says which files were not published; of the first only where the server has refused it. */
function tellLeft([first, ...rest]: readonly Source[], isRefused: boolean): void {
  const left = isRefused ? [first, ...rest] : rest;
  if (!isRefused) console.error(`not known whether published: ${first.file}`);
  if (left.length > 0) console.error(`not published: ${left.map(({ file }) => file).join(', ')}`);
}

async function send(
  client: Client,
  { file, text }: Source,
  how: Omit<InputOf<'publishWorkflows'>, 'body'>,
): Promise<Entry[]> {
  const { workflows } = await client.publishWorkflows({ body: text, ...how });
  return workflows.map((workflow) => ({ file, ...workflow }));
}

/** What is wrong with a file; throws an error that is not about it. */
function problemsOf({ file, made }: Source, error: unknown): FileProblem[] {
  if (!(error instanceof ApiProblem) || !isAboutFile(error)) throw error;
  const found = error.problems.length > 0 ? error.problems : [{ path: [], message: error.message }];
  return found.map(({ line, column, ...each }) => ({ file, ...each, ...(!made && { line, column }) }));
}

async function tell(problems: readonly FileProblem[]): Promise<void> {
  const { formatProblem } = await import('@orrery/core/model');
  for (const problem of problems) console.error(formatProblem({ ...problem, code: 'bad-value' }));
}

function print(workflows: readonly Entry[], { dryRun = false, json }: ApplyOptions): void {
  if (json) printJson({ dryRun, workflows });
  else for (const each of workflows) show(each, dryRun);
}

/** Whether the file was refused, and not the caller. */
function isAboutFile({ status }: ApiProblem): boolean {
  return [400, 413, 422].includes(status);
}

function show({ project, name, version, changed, created, diff }: Published, dryRun: boolean): void {
  const did = created ? 'created' : changed ? 'updated' : 'unchanged';
  const would = dryRun && changed ? `would be ${did}` : did;
  console.log(`${project}/${name} ${would}${version === null ? '' : faint(` v${version}`)}`);
  if (changed && diff.length > 0) console.log(differencesText(diff.map(differenceRow)));
}
