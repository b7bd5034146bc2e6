/** `orrery workflows diff`, and the output of differences between versions. */
import { InvalidInput } from '@orrery/core/errors';
import type { AnswerOf } from '@orrery/sdk/client';
import { type Connection, connect } from './connect.ts';
import { printJson, table } from './output.ts';
import { nameOf } from './workflow-name.ts';

type Comparison = AnswerOf<'compareVersions'>;

/** How one value changed. */
type Difference = Comparison['fields'][number];

/** Compares two versions of a workflow; the second is the live one unless given. */
export async function compareVersions(
  workflow: string,
  from: string,
  to: string | undefined,
  options: Connection & { readonly json?: boolean },
): Promise<void> {
  const client = connect(options);
  const name = nameOf(workflow);
  const live = to === undefined ? (await client.showWorkflow(name)).version : null;
  if (to === undefined && live === null)
    throw new InvalidInput(`${workflow} has no live version; name two to compare`);
  const answer = await client.compareVersions({
    ...name,
    from: versionOf(from),
    to: live ?? versionOf(to ?? ''),
  });
  if (options.json) return printJson(answer);
  if (answer.same) console.log('no difference');
  else console.log(differencesText(rowsOf(answer)));
}

/** Differences as lines of a table: a sign, where, and what became of it. */
export function differencesText(rows: readonly (readonly string[])[]): string {
  return table(['', '', ''], rows).split('\n').slice(1).join('\n');
}

/** The line of one difference. */
export function differenceRow({ path, before, after }: Difference): string[] {
  if (before === undefined) return ['  +', path, short(after)];
  if (after === undefined) return ['  -', path, ''];
  return ['  ~', path, `${short(before)} -> ${short(after)}`];
}

function rowsOf({ fields, tasks, edges, schedules }: Comparison): string[][] {
  const named = (kind: string, { added, removed, changed }: Comparison['tasks']) => [
    ...removed.map((name) => ['  -', `${kind}.${name}`, '']),
    ...added.map((name) => ['  +', `${kind}.${name}`, '']),
    ...changed.flatMap(({ name, changes }) =>
      changes.map((change) => differenceRow({ ...change, path: `${kind}.${name}.${change.path}` })),
    ),
  ];
  const edge = (sign: string) => (one: { from: string; to: string }) => [
    `  ${sign}`,
    `${one.from} -> ${one.to}`,
    '',
  ];
  return [
    ...fields.map(differenceRow),
    ...named('tasks', tasks),
    ...edges.removed.map(edge('-')),
    ...edges.added.map(edge('+')),
    ...named('schedules', schedules),
  ];
}

function versionOf(written: string): number | 'draft' {
  if (written === 'draft') return written;
  const number = Number(written.replace(/^v/, ''));
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidInput(`"${written}" is neither a version, such as 3, nor draft`);
}

function short(value: unknown): string {
  const written = JSON.stringify(value);
  return written.length > 60 ? `${written.slice(0, 59)}…` : written;
}
