/**
 * `orrery apply`: publishes workflow files and workflows of modules, each file as a whole, and then applies
 * alert files. All are checked before the first is published. If one is refused all the same, or the server
 * is gone, it lists the files published before.
 */
import { type AnswerOf, ApiProblem, type Client, type InputOf, type InputProblem } from '@orrery/sdk/client';
import { type AppliedAlert, applyAlertFiles, showAlert } from './apply-alerts.ts';
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
  const workflows = sources.filter(({ kind }) => kind === 'workflow');
  const alerts = sources.filter(({ kind }) => kind === 'alerts');
  const checked = await check(client, workflows, alerts, options);
  if (!checked) return;
  refuseTwice(checked.workflows);
  if (options.dryRun) print(checked.workflows, checked.alerts, options);
  else await publish(client, workflows, alerts, options);
}

/** The effects of publishing every file; undefined if one had problems, which are then printed. */
async function check(
  client: Client,
  sources: readonly Source[],
  alerts: readonly Source[],
  { json }: ApplyOptions,
): Promise<{ workflows: Entry[]; alerts: readonly AppliedAlert[] } | undefined> {
  const would: Entry[] = [];
  const warnings: FileProblem[] = [];
  const problems: FileProblem[] = [];
  for (const source of sources) {
    try {
      const answer = await send(client, source, { dryRun: true });
      would.push(...answer.entries);
      warnings.push(...answer.warnings);
    } catch (error) {
      problems.push(...problemsOf(source, error));
    }
  }
  const applied = await applyAlertFiles(client, alerts, true);
  problems.push(...applied.problems);
  if (!json) await tell(warnings, 'warning: ');
  if (problems.length === 0) return { workflows: would, alerts: applied.entries };
  if (json) printJson({ problems });
  else await tell(problems);
  process.exitCode = 2;
  return undefined;
}

/**
 * Publishes one file after the other. The first failure stops it, and it lists the files before and after.
 */
async function publish(
  client: Client,
  sources: readonly Source[],
  alerts: readonly Source[],
  options: ApplyOptions,
): Promise<void> {
  const published: Entry[] = [];
  for (const [k, source] of sources.entries()) {
    try {
      published.push(...(await send(client, source, { source: 'apply', note: options.note })).entries);
    } catch (error) {
      print(published, [], options);
      const left = [...sources.slice(k), ...alerts];
      if (sources.length + alerts.length > 1) tellLeft(left, error instanceof ApiProblem);
      await tell(problemsOf(source, error));
      process.exitCode = 2;
      return;
    }
  }
  const { entries, problems } = await applyAlertFiles(client, alerts, false);
  print(published, entries, options);
  await tell(problems);
  if (problems.length > 0) process.exitCode = 2;
}

/** Lists the files that were not published; the first only if the server has refused it. */
function tellLeft([first, ...rest]: readonly Source[], isRefused: boolean): void {
  const left = isRefused ? [first, ...rest] : rest;
  if (!isRefused) console.error(`not known whether published: ${first.file}`);
  if (left.length > 0) console.error(`not published: ${left.map(({ file }) => file).join(', ')}`);
}

async function send(
  client: Client,
  source: Source,
  how: Omit<InputOf<'publishWorkflows'>, 'body'>,
): Promise<{ entries: Entry[]; warnings: FileProblem[] }> {
  const { file, text, module } = source;
  // A server of an earlier version has no warnings.
  const { workflows, warnings = [] } = await client.publishWorkflows({
    body: text,
    ...(module !== undefined && { module: module.slice(-500) }),
    ...how,
  });
  return {
    entries: workflows.map((workflow) => ({ file, ...workflow })),
    warnings: warnings.map((warning) => placed(source, warning)),
  };
}

/** The problems of a file. Throws errors that are not about it. */
function problemsOf(source: Source, error: unknown): FileProblem[] {
  if (!(error instanceof ApiProblem) || !isAboutFile(error)) throw error;
  const found = error.problems.length > 0 ? error.problems : [{ path: [], message: error.message }];
  return found.map((problem) => placed(source, problem));
}

/** A problem with its file; places in a text that was made from a module mean nothing. */
function placed({ file, made }: Source, { line, column, ...problem }: InputProblem): FileProblem {
  return { file, ...problem, ...(!made && { line, column }) };
}

async function tell(problems: readonly FileProblem[], prefix = ''): Promise<void> {
  if (problems.length === 0) return;
  const { formatProblem } = await import('@orrery/core/model');
  for (const problem of problems) console.error(`${prefix}${formatProblem(problem)}`);
}

function print(
  workflows: readonly Entry[],
  alerts: readonly AppliedAlert[],
  { dryRun = false, json }: ApplyOptions,
): void {
  if (json) {
    printJson({ dryRun, workflows, alerts });
    return;
  }
  for (const each of workflows) show(each, dryRun);
  for (const each of alerts) showAlert(each, dryRun);
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
