/** `orrery apply`: publishes workflow files and workflows of modules. All of them are checked before the first is published. */
import { InvalidInput } from '@orrery/core/errors';
import { type AnswerOf, ApiProblem, type Client, type InputOf, type InputProblem } from '@orrery/sdk/client';
import { differenceRow, differencesText } from './compare.ts';
import { type Connection, connect } from './connect.ts';
import { faint, printJson } from './output.ts';
import { readSources, type Source } from './sources.ts';

/** What the command was given. */
export interface ApplyOptions extends Connection {
  readonly file: readonly string[];
  readonly dryRun?: boolean;
  readonly note?: string;
  readonly json?: boolean;
}

type Published = AnswerOf<'publishWorkflows'>['workflows'][number];

/** Runs the command. */
export async function apply(options: ApplyOptions): Promise<void> {
  const client = connect(options);
  const sources = await readSources(options.file);
  const checked = await send(client, sources, { dryRun: true }, options);
  if (!checked) return;
  refuseTwice(checked);
  const how = { source: 'apply', note: options.note } as const;
  const published = options.dryRun ? checked : await send(client, sources, how, options);
  if (!published) return;
  if (options.json) printJson({ dryRun: options.dryRun ?? false, workflows: published });
  else for (const each of published) show(each, options.dryRun ?? false);
}

/** Sends every file; undefined when one had problems, which are then told. */
async function send(
  client: Client,
  sources: readonly Source[],
  how: Omit<InputOf<'publishWorkflows'>, 'body'>,
  { json }: ApplyOptions,
): Promise<(Published & { file: string })[] | undefined> {
  const published: (Published & { file: string })[] = [];
  const problems: (InputProblem & { file: string })[] = [];
  for (const { file, text, made } of sources) {
    try {
      const { workflows } = await client.publishWorkflows({ body: text, ...how });
      published.push(...workflows.map((workflow) => ({ file, ...workflow })));
    } catch (error) {
      if (!(error instanceof ApiProblem) || !isAboutFile(error)) throw error;
      const found = error.problems.length > 0 ? error.problems : [{ path: [], message: error.message }];
      problems.push(
        ...found.map(({ line, column, ...each }) => ({ file, ...each, ...(!made && { line, column }) })),
      );
    }
  }
  if (problems.length === 0) return published;
  if (json) printJson({ problems });
  else {
    const { formatProblem } = await import('@orrery/core/model');
    for (const problem of problems) console.error(formatProblem({ ...problem, code: 'bad-value' }));
  }
  process.exitCode = 2;
  return undefined;
}

/** Whether the file was refused, and not the caller. */
function isAboutFile({ status }: ApiProblem): boolean {
  return [400, 413, 422].includes(status);
}

/** Two sources that publish the same workflow would replace each other at every apply. */
function refuseTwice(published: readonly (Published & { file: string })[]): void {
  const seen = new Map<string, string>();
  for (const { project, name, file } of published) {
    const other = seen.get(`${project}/${name}`);
    if (other !== undefined)
      throw new InvalidInput(`workflow ${project}/${name} stands in ${other} and in ${file}; keep one`);
    seen.set(`${project}/${name}`, file);
  }
}

function show({ project, name, version, changed, created, diff }: Published, dryRun: boolean): void {
  const did = created ? 'created' : changed ? 'updated' : 'unchanged';
  const would = dryRun && changed ? `would be ${did}` : did;
  console.log(`${project}/${name} ${would}${version === null ? '' : faint(` v${version}`)}`);
  if (changed && diff.length > 0) console.log(differencesText(diff.map(differenceRow)));
}
