/**
 * The `node` task: an exported function of a module in the worker's code folder, run in its own Node process.
 * The log records the hash of the module's file, which identifies the code that ran.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { definePlugin, type Plugin, TaskFailure } from '../plugin/contract.ts';
import type { NodeTaskInput, NodeTaskResult } from './node-process.ts';
import { exitText } from './shell.ts';

const schema = z
  .strictObject({
    module: z.string().min(1).optional().describe("Path of the module, below the worker's code folder."),
    export: z.string().min(1).default('default').describe('Name of the exported function.'),
    args: z.unknown().optional().describe('Anything JSON can say; the function gets it as `args`.'),
    code: z
      .string()
      .min(1)
      .optional()
      .describe('A function as text, in place of a module; in development only.'),
  })
  .refine(({ module, code }) => (module === undefined) !== (code === undefined), {
    error: 'give one of "module" and "code"',
  });

/** The folder of modules, and whether a function may be given as text. */
export interface NodeTaskOptions {
  readonly codeFolder: string;
  readonly dev: boolean;
}

export function nodeTask({ codeFolder, dev }: NodeTaskOptions): Plugin {
  return definePlugin({
    name: 'node',
    title: 'Node',
    description: "Calls an exported function of a module in the worker's code folder.",
    schema,
    async run(context) {
      const { with: settings, params, attempt, shard, workDir, note, exec } = context;
      const { module, export: name, args, code } = settings;
      const file = code === undefined ? moduleFile(codeFolder, module ?? '') : inlineFile(workDir, code, dev);
      const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
      note(`module ${module ?? 'given as text'}, sha256 ${digest}`);
      const input: NodeTaskInput = { file, export: name, args, params, attempt, shard };
      writeFileSync(join(workDir, 'input.json'), JSON.stringify(input), { mode: 0o600 });
      const exitCode = await exec(process.execPath, [runner(), workDir], { cwd: codeFolder });
      const failure = resultOf(context.readBack('result.json'))?.failure;
      if (failure) throw new TaskFailure(failure.message, failure);
      if (exitCode !== 0) throw new TaskFailure(exitText(exitCode));
    },
  });
}

function moduleFile(codeFolder: string, module: string): string {
  const path = resolve(codeFolder, module);
  refuseOutside(codeFolder, path, module);
  if (!existsSync(path))
    throw new TaskFailure(`module ${module} does not exist in the worker's code folder`, { fatal: true });
  // A link may lead outside the code folder.
  const real = realpathSync(path);
  refuseOutside(realpathSync(codeFolder), real, module);
  return real;
}

function refuseOutside(folder: string, path: string, module: string): void {
  if (relative(folder, path).startsWith('..'))
    throw new TaskFailure(`module ${module} lies outside of the worker's code folder`, { fatal: true });
}

function inlineFile(workDir: string, code: string, dev: boolean): string {
  if (!dev)
    throw new TaskFailure('"code" is accepted by workers in development mode only; use "module"', {
      fatal: true,
    });
  const file = join(workDir, 'inline.ts');
  writeFileSync(file, `export default ${code}\n`, { mode: 0o600 });
  return file;
}

function runner(): string {
  return fileURLToPath(new URL(`./node-process${extname(import.meta.url)}`, import.meta.url));
}

/** The task's process may have written anything. */
function resultOf(text: string | undefined): NodeTaskResult | undefined {
  if (text === undefined) return undefined;
  try {
    const { failure } = JSON.parse(text) as NodeTaskResult;
    return { failure: failure && { message: String(failure.message), fatal: failure.fatal === true } };
  } catch (error) {
    throw new TaskFailure(`what its process left cannot be read: ${(error as Error).message}`);
  }
}
