/**
 * Parses and validates a workflow: returns the workflow, or every problem. The schema checks the shape; the
 * checks of `check/` verify its meaning, even if the shape is wrong elsewhere.
 */

import { type Said, said } from '../texts/index.ts';
import { checkBranches } from './check/branches.ts';
import { checkDeclarations } from './check/declarations.ts';
import { checkGraph } from './check/graph.ts';
import { checkLogic } from './check/logic.ts';
import { checkParameters } from './check/parameters.ts';
import { checkSchedules } from './check/schedules.ts';
import { checkScripts } from './check/scripts.ts';
import { checkSecrets } from './check/secrets.ts';
import { checkSurroundings } from './check/surroundings.ts';
import { checkTriggers } from './check/triggers.ts';
import { checkTypes, type KnownType } from './check/types.ts';
import { problemsOf } from './issues.ts';
import { type Outline, outlineOf } from './outline.ts';
import { type Problem, type Report, type Warning, worded } from './problem.ts';
import { workflow } from './schema/workflow.ts';
import type { Surroundings } from './surroundings.ts';
import type { Workflow } from './types.ts';

/** Context of a file. */
export interface ParseOptions {
  /** Names available where the workflow will run; missing parts are not checked. */
  readonly surroundings?: Surroundings;
  /** Available task types; without them, types are not checked. */
  readonly taskTypes?: readonly KnownType[];
}

/** Has a workflow exactly if there are no problems. */
export interface ParseResult {
  readonly workflow?: Workflow;
  readonly problems: readonly Problem[];
  /** Accepted input that may not do what its author intends. */
  readonly warnings: readonly Warning[];
}

/** Parses a workflow from a JSON value; reports every problem at once and never throws. */
export function parseWorkflow(
  input: unknown,
  { surroundings = {}, taskTypes }: ParseOptions = {},
): ParseResult {
  const tooMuch = tooMuchOf(input);
  if (tooMuch) return { problems: [tooMuch], warnings: [] };
  const read = workflow.safeParse(input, { reportInput: true });
  const problems = read.success ? [] : problemsOf(read.error.issues).slice(0, MOST_PROBLEMS);
  const report: Report = (path, code, words) => {
    if (problems.length < MOST_PROBLEMS) problems.push({ path, code, ...worded(words) });
  };
  const warnings: Warning[] = [];
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
  checkScripts(outline, (path, words) => {
    if (warnings.length < MOST_PROBLEMS) warnings.push({ path, code: 'value-in-script', ...worded(words) });
  });
  const accepted = read.success && problems.length === 0;
  return accepted ? { workflow: read.data, problems, warnings } : { problems, warnings };
}

/** Limit of problems reported for one workflow: a file of 10 MB can have a million. */
const MOST_PROBLEMS = 10_000;

/** Limits of a workflow's contents, checked before anything else. */
const most = { tasks: 100_000, params: 10_000, keys: 1_000 } as const;

function tooMuchOf(input: unknown): Problem | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { tasks, params } = input as Readonly<Record<string, unknown>>;
  const refused = (path: string[], count: number, limit: number, what: Said) =>
    count > limit
      ? { path, code: 'too-large' as const, ...worded(said('file.tooMany', { count, what, most: limit })) }
      : undefined;
  return (
    refused([], Object.keys(input).length, most.keys, said('file.keys')) ??
    refused(['tasks'], Array.isArray(tasks) ? tasks.length : 0, most.tasks, said('file.tasks')) ??
    refused(['params'], sizeOf(params), most.params, said('file.parameters'))
  );
}

function sizeOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function checkWhole({ keys }: Outline, report: Report): void {
  if (Array.isArray(keys.tasks) && keys.tasks.length === 0)
    report(['tasks'], 'no-tasks', said('file.noTasks'));
  const { mode, limit } = keys;
  if (typeof mode === 'string' && mode.startsWith('serial-') && limit !== undefined)
    report(['limit'], 'limit-with-serial', said('file.limitWithSerial', { mode }));
  if (typeof mode === 'string' && mode.startsWith('serial-') && keys.onNoRoom === 'fail')
    report(['onNoRoom'], 'limit-with-serial', said('file.noRoomWithSerial', { mode }));
}
