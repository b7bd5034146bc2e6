/**
 * The door of the model: from anything to a workflow, or to every problem that stands in the way. The schema
 * reads the shape; the checks of `check/` ask whether it makes sense, also where the shape is wrong elsewhere.
 */
import { checkBranches } from './check/branches.ts';
import { checkDeclarations } from './check/declarations.ts';
import { checkGraph } from './check/graph.ts';
import { checkLogic } from './check/logic.ts';
import { checkParameters } from './check/parameters.ts';
import { checkSchedules } from './check/schedules.ts';
import { checkSecrets } from './check/secrets.ts';
import { checkSurroundings } from './check/surroundings.ts';
import { checkTriggers } from './check/triggers.ts';
import { checkTypes, type KnownType } from './check/types.ts';
import { problemsOf } from './issues.ts';
import { type Outline, outlineOf } from './outline.ts';
import type { Problem, Report } from './problem.ts';
import { workflow } from './schema/workflow.ts';
import type { Surroundings } from './surroundings.ts';
import type { Workflow } from './types.ts';

/** What is known besides the file. */
export interface ParseOptions {
  /** What there is where the workflow will run; what is missing in it is not checked. */
  readonly surroundings?: Surroundings;
  /** The task types there are; without them, types are not checked. */
  readonly taskTypes?: readonly KnownType[];
}

/** A workflow exactly if there are no problems. */
export interface ParseResult {
  readonly workflow?: Workflow;
  readonly problems: readonly Problem[];
}

/** Reads a workflow from a value such as JSON gives; reports every problem at once and never throws. */
export function parseWorkflow(
  input: unknown,
  { surroundings = {}, taskTypes }: ParseOptions = {},
): ParseResult {
  const read = workflow.safeParse(input, { reportInput: true });
  const problems = read.success ? [] : problemsOf(read.error.issues);
  const report: Report = (path, code, message) => problems.push({ path, code, message });
  const outline = outlineOf(input);
  checkWhole(outline, report);
  checkSchedules(outline, report);
  checkTriggers(outline, report);
  checkDeclarations({ value: outline.keys.params, path: ['params'] }, report);
  checkParameters(outline, surroundings.params, report);
  checkSecrets(outline, report);
  checkSurroundings(outline, surroundings, report);
  checkBranches(outline.tasks, checkGraph(outline.tasks, report), report);
  checkLogic(outline, report);
  if (taskTypes) checkTypes(outline.tasks, taskTypes, report);
  return read.success && problems.length === 0 ? { workflow: read.data, problems } : { problems };
}

function checkWhole({ keys }: Outline, report: Report): void {
  if (Array.isArray(keys.tasks) && keys.tasks.length === 0)
    report(['tasks'], 'no-tasks', 'a workflow needs at least one task; add a name and a type under "tasks"');
  const { mode, limit } = keys;
  if (typeof mode === 'string' && mode.startsWith('serial-') && limit !== undefined)
    report(
      ['limit'],
      'limit-with-serial',
      `mode ${mode} runs one at a time; remove "limit", or use mode parallel`,
    );
}
