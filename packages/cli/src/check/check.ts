/**
 * `orrery check`: the problems of workflow and alert files, as a server would report them, without one. What only a server knows
 * (parameters of projects, environments, task groups, plugins that were not named) is not checked.
 */
import { settingsProblem } from '@orrery/alerts';
import { parseAlertFile } from '@orrery/core/alert/file';
import {
  formatProblem,
  type KnownType,
  type Problem,
  parseWorkflowFile,
  type Warning,
} from '@orrery/core/model';
import { taskPlugins } from '@orrery/tasks';
import { taskRegistry, taskTypes } from '@orrery/worker';
import { faint, printJson } from '../client/output.ts';
import { readSources, refuseTwice, type Source, tellOthers } from '../client/sources.ts';
import { requireFolder } from '../node/folders.ts';

/** What the command was given. */
export interface CheckOptions {
  readonly code: string;
  readonly plugin: readonly string[];
  readonly json?: boolean;
}

/** Runs the command; the exit code is 2 where something is wrong. */
export async function check(paths: readonly string[], options: CheckOptions): Promise<void> {
  requireFolder(options.code, '--code');
  const { sources, others } = await readSources(paths);
  const types = await typesOf(options);
  const checked = sources
    .filter(({ kind }) => kind === 'workflow')
    .map((source) => ({ source, ...parse(source, types) }));
  const alerts = sources
    .filter(({ kind }) => kind === 'alerts')
    .map(({ file, text }) => ({
      file,
      ...parseAlertFile(text, { checkSettings: settingsProblem, file }),
    }));
  const problems = [...checked, ...alerts].flatMap((each) => each.problems);
  const warnings = checked.flatMap((each) => each.warnings);
  const workflows = checked.flatMap(({ source: { file }, workflows: found }) =>
    found.map(({ project, name }) => ({ file, project, name })),
  );
  refuseTwice(workflows);
  if (problems.length > 0) process.exitCode = 2;
  const settings = alerts.flatMap(({ file, channels, rules }) => [
    ...channels.map(({ project, name }) => ({ file, thing: 'channel', project, name })),
    ...rules.map(({ project, rule: { name } }) => ({ file, thing: 'rule', project, name })),
  ]);
  if (options.json) return printJson({ workflows, alerts: settings, problems, warnings });
  tellOthers(others);
  for (const { file, project, name } of workflows) console.log(`${project}/${name} ok ${faint(file)}`);
  for (const { thing, file, project, name } of settings)
    console.log(`${thing} ${project}/${name} ok ${faint(file)}`);
  for (const warning of warnings) console.error(`warning: ${formatProblem(warning)}`);
  for (const problem of problems) console.error(formatProblem(problem));
}

function parse({ file, text, made }: Source, types: readonly KnownType[]) {
  const { workflows, problems, warnings } = parseWorkflowFile(text, { file, taskTypes: types });
  return {
    workflows,
    problems: problems.map((each) => explained(made ? placeless(each) : each)),
    warnings: warnings.map((each) => (made ? placeless(each) : each)),
  };
}

/** Places in a text that was made from a module mean nothing. */
function placeless<Place extends Problem | Warning>(problem: Place): Place {
  return { ...problem, line: undefined, column: undefined };
}

function explained(problem: Problem): Problem {
  if (problem.code !== 'unknown-type') return problem;
  return { ...problem, message: `${problem.message}; if it is a plugin's, name that with --plugin` };
}

async function typesOf({ code, plugin }: CheckOptions): Promise<KnownType[]> {
  const bundled = taskPlugins({ codeFolder: code, cacheFolder: code });
  const registry = await taskRegistry({ codeFolder: code, bundled, plugins: plugin, dev: true });
  return taskTypes(registry).map(({ name, schema }) => ({ name, schema: schema as object }));
}
