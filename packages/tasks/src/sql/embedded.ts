/** Embedded databases: their work is done by a process behind the attempt's guard, so a kill ends it at once. */
import { writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import type { SqlJob } from './job.ts';

/** What the process is given. */
export interface EmbeddedInput {
  readonly kind: string;
  readonly settings: { readonly file: string; readonly readOnly: boolean };
  readonly job: SqlJob;
  readonly codeFolder: string;
}

/** What it leaves. */
export interface EmbeddedResult {
  readonly outputs?: Readonly<Record<string, string | number>>;
  readonly notes?: readonly string[];
  readonly failure?: { readonly message: string; readonly fatal: boolean };
}

/** Does a job in a process; answers the outputs. */
export async function runEmbedded(
  { workDir, exec, note, readBack }: Pick<TaskContext<unknown>, 'workDir' | 'exec' | 'note' | 'readBack'>,
  input: EmbeddedInput,
): Promise<Readonly<Record<string, string | number>>> {
  const { file } = input.settings;
  const settings = {
    ...input.settings,
    file: file === ':memory:' ? file : resolve(input.codeFolder, file),
  };
  writeFileSync(join(workDir, 'job.json'), JSON.stringify({ ...input, settings }), { mode: 0o600 });
  const runner = fileURLToPath(new URL(`./sql-process${extname(import.meta.url)}`, import.meta.url));
  const code = await exec(process.execPath, [runner, workDir], { cwd: input.codeFolder });
  const { outputs, notes = [], failure } = JSON.parse(readBack('result.json') ?? '{}') as EmbeddedResult;
  for (const each of notes) note(each);
  if (failure) throw new TaskFailure(failure.message, failure);
  if (code !== 0 || !outputs) throw new TaskFailure(`exit code ${code}`);
  return outputs;
}
