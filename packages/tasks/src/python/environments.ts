/**
 * Virtual environments of Python, one for each set of requirements, made when first needed and kept.
 * An environment is absent -> being made (by one attempt; others wait) -> complete, with a marker -> deleted when it is
 * the one unused for longest of too many. One without a marker is made again: its maker was killed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { exitText } from '../exit-text.ts';

/** What an environment is made of. */
export interface PythonNeeds {
  readonly interpreter: string;
  readonly requirements: readonly string[];
  readonly index?: string;
}

type Context = Pick<TaskContext<unknown>, 'exec' | 'note' | 'workDir' | 'signal'>;

const MARKER = 'complete';
const MOST = 20;

/** The environments of a worker, in a folder of their own. */
export class PythonEnvironments {
  private readonly folder: string;
  private readonly making = new Map<string, Promise<void>>();
  /** How many attempts use each. */
  private readonly users = new Map<string, number>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Works with the Python of an environment, which stays meanwhile. */
  async use<Result>(
    context: Context,
    needs: PythonNeeds,
    work: (python: string) => Promise<Result>,
  ): Promise<Result> {
    if (needs.requirements.length === 0) return work(needs.interpreter);
    const key = keyOf(needs);
    this.users.set(key, (this.users.get(key) ?? 0) + 1);
    try {
      const place = join(this.folder, key);
      await this.complete(context, needs, place, key);
      const now = new Date();
      utimesSync(join(place, MARKER), now, now);
      this.evict();
      return await work(join(place, 'bin', 'python'));
    } finally {
      const left = (this.users.get(key) ?? 1) - 1;
      if (left > 0) this.users.set(key, left);
      else this.users.delete(key);
    }
  }

  private async complete(context: Context, needs: PythonNeeds, place: string, key: string): Promise<void> {
    while (!existsSync(join(place, MARKER))) {
      const other = this.making.get(key);
      if (other) {
        context.note(`another attempt is making the environment ${key}`);
        await other;
        context.signal.throwIfAborted();
        continue;
      }
      const made = make(context, needs, place);
      this.making.set(
        key,
        made.catch(() => {}),
      );
      try {
        await made;
      } finally {
        this.making.delete(key);
      }
    }
  }

  private evict(): void {
    const kept = readdirSync(this.folder)
      .map((key) => ({
        key,
        at: statSync(join(this.folder, key, MARKER), { throwIfNoEntry: false })?.mtimeMs,
      }))
      .filter(({ key }) => !this.making.has(key) && !this.users.has(key))
      .sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
    for (const { key } of kept.slice(MOST)) rmSync(join(this.folder, key), { recursive: true, force: true });
  }
}

async function make(context: Context, needs: PythonNeeds, place: string): Promise<void> {
  const { exec, note, workDir } = context;
  const { interpreter, requirements } = needs;
  note(`making a virtual environment with ${requirements.join(', ')}`);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const venv = await exec(interpreter, ['-m', 'venv', '--without-pip', place]);
  if (venv !== 0) throw new TaskFailure(exitText(venv));
  const list = join(workDir, 'requirements.txt');
  writeFileSync(list, `${requirements.join('\n')}\n`);
  const python = join(place, 'bin', 'python');
  const options = ['--no-input', '--disable-pip-version-check', '--quiet', ...indexOptions(needs)];
  const pip = await exec(interpreter, ['-m', 'pip', '--python', python, 'install', ...options, '-r', list]);
  if (pip !== 0) throw new TaskFailure(exitText(pip));
  writeFileSync(join(place, MARKER), JSON.stringify(needs));
}

function indexOptions({ index }: PythonNeeds): string[] {
  if (index === undefined) return [];
  return /^https?:\/\//.test(index) ? ['--index-url', index] : ['--no-index', '--find-links', resolve(index)];
}

function keyOf({ interpreter, requirements, index }: PythonNeeds): string {
  const text = JSON.stringify([interpreter, requirements.toSorted(), index, process.platform, process.arch]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
