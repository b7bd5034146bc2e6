/** `orrery projects` and `orrery parameters`: what workflows find where they run. */
import { InvalidInput } from '@orrery/core/errors';
import type { AnswerOf } from '@orrery/sdk/client';
import { type Connection, connect } from './connect.ts';
import { fromNow, printJson, table } from './output.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** The options of a change of parameters. */
export interface ParameterWishes {
  readonly param?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
  /** Projects with commas between them, `*`, or `none`. */
  readonly callableFrom?: string;
}

/** Lists the projects. */
export async function listProjects(options: Options): Promise<void> {
  const { projects } = await connect(options).listProjects();
  if (options.json) return printJson({ projects });
  if (projects.length === 0) return console.log('no projects yet');
  console.log(
    table(
      ['PROJECT', 'SINCE'],
      projects.map(({ name, createdAt }) => [name, fromNow(createdAt)]),
    ),
  );
}

/** Shows the parameters of a project. */
export async function showProject(project: string, options: Options): Promise<void> {
  const answer = await connect(options).showProject({ project });
  if (options.json) return printJson(answer);
  printProject(answer);
}

/** Changes the given parameters of a project only. */
export async function setProject(project: string, options: Options & ParameterWishes): Promise<void> {
  const client = connect(options);
  const { projects } = await client.listProjects();
  const before = projects.some(({ name }) => name === project)
    ? await client.showProject({ project })
    : { params: {}, revision: 0 };
  const answer = await client.setProject({
    project,
    ifMatch: `"${before.revision}"`,
    body: { params: changed(before.params, options), callableFrom: callersOf(options.callableFrom) },
  });
  if (options.json) return printJson(answer);
  printProject(answer);
}

function callersOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  return text === 'none' ? [] : text.split(',').map((name) => name.trim());
}

/** Shows the parameters of all projects. */
export async function showParameters(options: Options): Promise<void> {
  const answer = await connect(options).showParameters();
  if (options.json) return printJson(answer);
  printParams(answer.params);
}

/** Changes the given parameters of all projects only. */
export async function setParameters(options: Options & ParameterWishes): Promise<void> {
  const client = connect(options);
  const before = await client.showParameters();
  const answer = await client.setParameters({
    ifMatch: `"${before.revision}"`,
    body: { params: changed(before.params, options) },
  });
  if (options.json) return printJson(answer);
  printParams(answer.params);
}

function changed(
  before: Readonly<Record<string, string>>,
  { param = {}, unset = [], callableFrom }: ParameterWishes,
): Record<string, string> {
  if (Object.keys(param).length + unset.length === 0 && callableFrom === undefined)
    throw new InvalidInput('say what to change: --param KEY=VALUE or --unset KEY');
  const params = { ...before, ...param };
  for (const name of unset) {
    if (!Object.hasOwn(params, name)) throw new InvalidInput(`there is no parameter "${name}"`, '--unset');
    delete params[name];
  }
  return params;
}

function printProject({ params, callableFrom }: AnswerOf<'showProject'>): void {
  printParams(params);
  if (callableFrom.length > 0) console.log(`callable from: ${callableFrom.join(', ')}`);
}

function printParams(params: Readonly<Record<string, string>>): void {
  const rows = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  console.log(rows.length === 0 ? 'no parameters' : table(['PARAMETER', 'VALUE'], rows));
}
