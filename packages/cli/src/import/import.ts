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
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Runs the command. */
export async function importFile(file: string, options: ImportOptions): Promise<void> {
  const result = importDolphinScheduler(await readInput(file), options.project);
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

async function write({ workflows }: ImportResult, folder: string, force: boolean): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (const workflow of workflows) {
    const path = join(folder, `${workflow.name}.yaml`);
    try {
      await writeFile(path, stringify(workflow), { flag: force ? 'w' : 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new InvalidInput(`${path} is there already; give --force to replace it, or another --out`);
    }
    paths.push(path);
  }
  return paths;
}

function line({ workflow, task, kind, message }: ImportNote): string {
  return `${kind === 'changed' ? 'changed ' : 'left out'}  ${workflow}${task === undefined ? '' : `.${task}`}: ${message}`;
}

function summary({ workflows, notes }: ImportResult): string {
  const leftOut = notes.filter(({ kind }) => kind === 'left-out').length;
  return `${workflows.length} workflow(s); ${notes.length - leftOut} thing(s) changed, ${leftOut} left out. Next: orrery apply --dry-run -f …`;
}
