/** `orrery environments`: sets of variables that the processes of tasks are given. */
import { InvalidInput } from '@orrery/core/errors';
import { type Connection, connect } from './connect.ts';
import { faint, fromNow, printDeleted, printJson, printTable, table } from './output.ts';
import { projectsOf } from './worker-groups.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** The options of a change of an environment. */
export interface EnvironmentWishes {
  readonly variable?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
  readonly workerGroup?: readonly string[];
  /** Projects with commas between them, or `all`. */
  readonly projects?: string;
  readonly description?: string;
}

/** Lists them. */
export async function listEnvironments(options: Options): Promise<void> {
  const answer = await connect(options).listEnvironments();
  printTable(
    answer,
    options,
    'no environments',
    ['ENVIRONMENT', 'VARIABLES', 'WORKER GROUPS', 'PROJECTS', 'CHANGED'],
    answer.environments.map(({ name, variables, workerGroups, projects, changedAt }) => [
      name,
      String(Object.keys(variables).length),
      workerGroups.join(', ') || 'all',
      projects.join(', ') || 'all',
      fromNow(changedAt),
    ]),
  );
}

/** Shows one. */
export async function showEnvironment(name: string, options: Options): Promise<void> {
  print(await connect(options).showEnvironment({ name }), options);
}

/** Creates an environment, or changes the given parts of one. */
export async function setEnvironment(name: string, options: Options & EnvironmentWishes): Promise<void> {
  const { variable = {}, unset = [], workerGroup, projects, description } = options;
  const client = connect(options);
  const { environments } = await client.listEnvironments();
  const before = environments.find((one) => one.name === name);
  const variables = { ...before?.variables, ...variable };
  for (const key of unset) {
    if (!Object.hasOwn(variables, key)) throw new InvalidInput(`there is no variable "${key}"`, '--unset');
    delete variables[key];
  }
  const answer = await client.setEnvironment({
    name,
    ifMatch: `"${before?.revision ?? 0}"`,
    body: {
      variables,
      description: description ?? before?.description ?? '',
      workerGroups: [...(workerGroup ?? before?.workerGroups ?? [])],
      projects: projects === undefined ? [...(before?.projects ?? [])] : projectsOf(projects),
    },
  });
  print(answer, options);
}

/** Deletes an environment. */
export async function deleteEnvironment(name: string, options: Options): Promise<void> {
  await connect(options).deleteEnvironment({ name });
  printDeleted('environment', name, options);
}

type Shown = Awaited<ReturnType<ReturnType<typeof connect>['showEnvironment']>>;

function print(environment: Shown, { json }: Options): void {
  if (json) {
    printJson(environment);
    return;
  }
  const { name, description, variables, workerGroups, projects } = environment;
  console.log(
    faint(
      [
        name,
        description,
        `for ${workerGroups.join(', ') || 'all workers'}`,
        `of ${projects.join(', ') || 'all projects'}`,
      ]
        .filter(Boolean)
        .join(', '),
    ),
  );
  const rows = Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1));
  console.log(rows.length === 0 ? 'no variables' : table(['VARIABLE', 'VALUE'], rows));
}
