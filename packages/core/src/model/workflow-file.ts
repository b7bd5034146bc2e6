/** A workflow file: parses its text into workflows, and reports every problem with its place. */

import { said } from '../texts/index.ts';
import { type Problem, type Warning, worded } from './problem.ts';
import { readDocuments } from './source.ts';
import type { Workflow } from './types.ts';
import { type ParseOptions, parseWorkflow } from './validate.ts';

/** Context of a file. */
export interface FileOptions extends ParseOptions {
  /** File name, for messages. */
  readonly file?: string;
}

/** The valid workflows of a file, and the problems of the others in text order. */
export interface FileResult {
  readonly workflows: readonly Workflow[];
  /** The text of each of these workflows. */
  readonly sources: readonly string[];
  readonly problems: readonly Problem[];
  /** Accepted input that may not do what its author intends, in text order. */
  readonly warnings: readonly Warning[];
}

/** Parses the text of a workflow file; a line `---` separates workflows. Never throws. */
export function parseWorkflowFile(text: string, { file, ...options }: FileOptions = {}): FileResult {
  const documents = readDocuments(text);
  const workflows = new Map<string, { workflow: Workflow; source: string }>();
  const problems: Problem[] = [];
  const warnings: Warning[] = [];
  if (documents.length === 0)
    problems.push({
      path: [],
      code: 'missing-key',
      ...worded(said('file.noWorkflow')),
      line: 1,
      column: 1,
    });
  for (const { value, readable, problems: found, text: source, locate } of documents) {
    for (const problem of found) problems.push(problem);
    if (!readable) continue;
    const { workflow, problems: faults, warnings: doubts } = parseWorkflow(value, options);
    for (const fault of faults) problems.push({ ...fault, ...locate(fault.path) });
    for (const doubt of doubts) warnings.push({ ...doubt, ...locate(doubt.path) });
    if (!workflow || found.length > 0) continue;
    const name = `${workflow.project}/${workflow.name}`;
    if (workflows.has(name))
      problems.push({
        path: ['name'],
        code: 'duplicate-name',
        ...worded(said('file.workflowTwice', { name })),
        ...locate(['name']),
      });
    else workflows.set(name, { workflow, source });
  }
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  return {
    workflows: [...workflows.values()].map(({ workflow }) => workflow),
    sources: documents.length === 1 ? [text] : [...workflows.values()].map(({ source }) => source),
    problems: file === undefined ? problems : problems.map((problem) => ({ ...problem, file })),
    warnings: file === undefined ? warnings : warnings.map((warning) => ({ ...warning, file })),
  };
}
