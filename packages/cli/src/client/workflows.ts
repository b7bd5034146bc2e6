/** `orrery workflows`: list them and their versions, rename, restore or delete one, write them as files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInput } from '@orrery/core/errors';
import type { AnswerOf, InputOf } from '@orrery/sdk/client';
import { type Connection, connect, numberOf } from './connect.ts';
import { duration, faint, fromNow, printJson, runStateText, stateText, table } from './output.ts';
import { nameOf } from './workflow-name.ts';

interface Options extends Connection {
  readonly json?: boolean;
}

/** The filter of a list; several tags and states are separated by commas. The server validates the values. */
interface Filter {
  readonly project?: string;
  readonly q?: string;
  readonly tag?: string;
  readonly owner?: string;
  readonly state?: string;
  readonly schedule?: string;
}

/** Lists workflows by name. */
export async function listWorkflows(options: Options & Filter): Promise<void> {
  const { project, q, tag, owner, state, schedule, json } = options;
  const filter = {
    project,
    q,
    tag: tag?.split(','),
    owner,
    state: state?.split(','),
    schedule,
  } as InputOf<'listWorkflows'>;
  const include = ['strip' as const, 'next' as const];
  const workflows = await listed(connect(options).all.listWorkflows({ ...filter, include, limit: 200 }));
  if (json) return printJson({ workflows });
  if (workflows.length === 0) return console.log('no workflows');
  const rows = workflows.map(({ project: of, name, version, offlineSince, strip, schedules = [] }) => [
    `${of}/${name}`,
    version === null ? 'draft' : `v${version}${offlineSince === null ? '' : ' offline'}`,
    lastState(strip?.runs.at(-1)),
    ...scheduleCells(schedules),
  ]);
  console.log(table(['WORKFLOW', 'LIVE', 'LAST RUN', 'SCHEDULE', 'NEXT'], rows));
}

function lastState(last: Parameters<typeof runStateText>[0] | undefined): string {
  return last ? runStateText(last) : '-';
}

type Schedules = NonNullable<AnswerOf<'listWorkflows'>['workflows'][number]['schedules']>;

/** The schedules of a workflow with their timing, and when the first of them fires. */
function scheduleCells(schedules: Schedules): string[] {
  if (schedules.length === 0) return ['-', '-'];
  const [next] = schedules.flatMap(({ nextDue }) => nextDue ?? []).sort();
  const said = schedules.map(({ name, cron, every, state }) => {
    const timing = `${name} ${faint(cron ?? `every ${duration(every ?? 0)}`)}`;
    return state === 'paused' ? `${timing} ${stateText(state)}` : timing;
  });
  return [said.join(', '), fromNow(next)];
}

/** Lists the versions of a workflow, newest first. */
export async function listVersions(workflow: string, options: Options): Promise<void> {
  const versions = await listed(connect(options).all.listVersions({ ...nameOf(workflow), limit: 1_000 }));
  if (options.json) return printJson({ versions });
  const rows = versions.map(({ version, live, createdAt, author, note }) => [
    `v${version}${live ? ' live' : ''}`,
    fromNow(createdAt),
    author,
    note,
  ]);
  console.log(table(['VERSION', 'PUBLISHED', 'BY', 'NOTE'], rows));
}

/** Renames a workflow; `to` without a project stays in the present one. */
export async function renameWorkflow(
  workflow: string,
  to: string,
  options: Options & { readonly note?: string },
): Promise<void> {
  const from = nameOf(workflow);
  const target = to.includes('/') ? nameOf(to) : { project: from.project, name: to };
  const answer = await connect(options).renameWorkflow({ ...from, body: { ...target, note: options.note } });
  if (options.json) return printJson(answer);
  const { project, name, version, runs } = answer;
  console.log(
    `${from.project}/${from.name} is ${project}/${name} v${version}${faint(`, with ${runs} runs`)}`,
  );
}

/** Takes a workflow offline, or puts it online again. */
export async function setOnline(workflow: string, online: boolean, options: Options): Promise<void> {
  const answer = await connect(options).setWorkflowOnline({ ...nameOf(workflow), body: { online } });
  if (options.json) return printJson(answer);
  const { project, name } = answer;
  console.log(
    online
      ? `${project}/${name} is online`
      : `${project}/${name} is offline: nothing starts it; open runs go on, and ticks that come are skipped`,
  );
}

/** Deletes a workflow. */
export async function deleteWorkflow(workflow: string, options: Options): Promise<void> {
  const name = nameOf(workflow);
  await connect(options).deleteWorkflow(name);
  if (options.json) return printJson({ ...name, deleted: true });
  console.log(`${name.project}/${name.name} is gone; its runs stay`);
}

/** Publishes an earlier version again. */
export async function restoreVersion(
  workflow: string,
  version: string,
  options: Options & { readonly note?: string },
): Promise<void> {
  const number = numberOf(version.replace(/^v/, ''), 'a version');
  const body = { note: options.note };
  const answer = await connect(options).restoreVersion({ ...nameOf(workflow), version: number, body });
  if (options.json) return printJson(answer);
  const { project, name, changed } = answer;
  console.log(
    changed
      ? `${project}/${name} v${answer.version} is v${number} again`
      : `${project}/${name} v${answer.version} is the same as v${number}`,
  );
}

/** Writes workflows as files, a folder for each project; `orrery apply` of these changes nothing. One may be printed. */
export async function exportWorkflows(
  workflow: string | undefined,
  options: Options & { readonly project?: string; readonly out?: string },
): Promise<void> {
  const client = connect(options);
  const { out } = options;
  const one = workflow === undefined ? undefined : nameOf(workflow);
  if (one && options.project !== undefined) throw new InvalidInput('give a workflow or --project, not both');
  if (out === undefined) {
    if (!one) throw new InvalidInput('say --out FOLDER, or which workflow to print');
    const source = await client.readSource(one);
    return options.json ? printJson({ source }) : void process.stdout.write(source);
  }
  const files: string[] = [];
  const write = async ({ project, name }: { readonly project: string; readonly name: string }) => {
    const source = await client.readSource({ project, name });
    const folder = join(out, project);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, source);
    files.push(file);
  };
  if (one) await write(one);
  else
    for await (const { version, ...each } of client.all.listWorkflows({
      project: options.project,
      limit: 1_000,
    }))
      if (version !== null) await write(each);
  if (options.json) return printJson({ files });
  if (files.length === 0) return console.log('no workflows');
  for (const file of files) console.log(file);
}

async function listed<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of pages) all.push(one);
  return all;
}
