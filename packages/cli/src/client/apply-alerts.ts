/**
 * The alert files of `orrery apply`. All of them are one request: a rule may name a channel of another file, and all are
 * applied or none is.
 */
import { type AnswerOf, ApiProblem, type Client, type InputProblem } from '@orrery/sdk/client';
import { differenceRow, differencesText } from './compare.ts';
import type { Source } from './sources.ts';

/** What became of a channel or a rule. */
export type AppliedAlert = AnswerOf<'applyAlerts'>['entries'][number];
type FileProblem = InputProblem & { readonly file: string };

/** Applies alert files, or in a dry run prints the changes. Returns the problems of refused files. */
export async function applyAlertFiles(
  client: Client,
  sources: readonly Source[],
  dryRun: boolean,
): Promise<{ readonly entries: readonly AppliedAlert[]; readonly problems: readonly FileProblem[] }> {
  if (sources.length === 0) return { entries: [], problems: [] };
  const { text, place } = joined(sources);
  try {
    return { entries: (await client.applyAlerts({ body: text, dryRun })).entries, problems: [] };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.problems.length === 0) throw error;
    return { entries: [], problems: error.problems.map(place) };
  }
}

/** A line for each channel and rule, with what changes. */
export function showAlert(
  { thing, project, name, created, changed, diff }: AppliedAlert,
  dryRun: boolean,
): void {
  const did = created ? 'created' : changed ? 'updated' : 'unchanged';
  console.log(`${thing} ${project}/${name} ${dryRun && changed ? `would be ${did}` : did}`);
  if (diff.length > 0) console.log(differencesText(diff.map(differenceRow)));
}

/** The texts joined into one document, with a map of places in it to files. */
function joined(sources: readonly Source[]): {
  readonly text: string;
  readonly place: (problem: InputProblem) => FileProblem;
} {
  const begins: number[] = [];
  let lines = 0;
  for (const { text } of sources) {
    begins.push(lines);
    // The line break at its end, and the line between two documents.
    lines += text.split('\n').length + 1;
  }
  const place = (problem: InputProblem) => {
    const { line } = problem;
    const k = line === undefined ? 0 : begins.findLastIndex((begin) => begin < line);
    const { file } = sources[k];
    return line === undefined ? { file, ...problem } : { file, ...problem, line: line - begins[k] };
  };
  return { text: sources.map(({ text }) => text).join('\n---\n'), place };
}
