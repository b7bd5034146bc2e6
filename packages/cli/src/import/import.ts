/** `orrery import`: workflow files on standard output or in a folder, and what was not carried over on standard error. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { InvalidInput } from '@orrery/core/errors';
import { type ImportNote, type ImportResult, importDolphinScheduler } from '@orrery/import';
import { stringify } from 'yaml';
import { faint, printJson } from '../client/output.ts';

/** What the command was given. */
export interface ImportOptions {
  readonly project: string;
  readonly alerts?: readonly string[];
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Runs the command. */
export async function importFile(file: string, options: ImportOptions): Promise<void> {
  if (options.alerts && options.out === undefined)
    throw new InvalidInput('needs --out: alerts go into a file of their own', '--alerts');
  const lists = await Promise.all((options.alerts ?? []).map(readInput));
  const result = importDolphinScheduler(await readInput(file), options.project, lists);
  const files = options.out === undefined ? [] : await write(result, options.out, options.force ?? false);
  if (options.json) return printJson({ ...result, files });
  if (options.out === undefined) console.log(result.workflows.map((each) => stringify(each)).join('---\n'));
  else for (const path of files) console.log(path);
  for (const note of result.notes) console.error(line(note));
  console.error(faint(summary(result)));
}

async function readInput(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new InvalidInput(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function write({ workflows, alerts }: ImportResult, folder: string, force: boolean): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  const files = [
    ...workflows.map((workflow) => ({ name: workflow.name, content: workflow as object })),
    ...(alerts ? [{ name: freeName('alerts', workflows), content: alerts as object }] : []),
  ];
  for (const { name, content } of files) {
    const path = join(folder, `${name}.yaml`);
    try {
      await writeFile(path, stringify(content), { flag: force ? 'w' : 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new InvalidInput(`${path} is there already; give --force to replace it, or another --out`);
    }
    paths.push(path);
  }
  return paths;
}

/** A name that no workflow has. */
function freeName(wanted: string, workflows: ImportResult['workflows']): string {
  return workflows.some(({ name }) => name === wanted) ? freeName(`${wanted}-file`, workflows) : wanted;
}

function line({ workflow, task, kind, message }: ImportNote): string {
  return `${kind === 'changed' ? 'changed ' : 'left out'}  ${workflow}${task === undefined ? '' : `.${task}`}: ${message}`;
}

function summary({ workflows, notes }: ImportResult): string {
  const leftOut = notes.filter(({ kind }) => kind === 'left-out').length;
  return `${workflows.length} workflow(s); ${notes.length - leftOut} thing(s) changed, ${leftOut} left out. Next: orrery apply --dry-run -f …`;
}
