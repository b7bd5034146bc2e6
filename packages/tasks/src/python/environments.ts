/**
 * Virtual environments of Python, one for each set of requirements and user, created on first use and kept.
 * An environment is absent -> being created (by one attempt; others wait) -> complete, with a marker ->
 * deleted, if there are too many and it is the least recently used. One without a marker is created again:
 * its creator was killed.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TaskContext, TaskFailure } from '@orrery/worker/plugin';
import { exitText } from '../exit-text.ts';

/** The definition of an environment. */
export interface PythonNeeds {
  readonly interpreter: string;
  readonly requirements: readonly string[];
  readonly index?: string;
}

type Context = Pick<TaskContext<unknown>, 'exec' | 'keep' | 'note' | 'workDir' | 'signal'>;
type Folders = ReturnType<Context['keep']>;

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
    const folders = context.keep(this.folder);
    const key = keyOf(needs);
    const place = join(folders.path, key);
    this.users.set(place, (this.users.get(place) ?? 0) + 1);
    try {
      await this.complete(context, needs, folders, key);
      const now = new Date();
      utimesSync(markerOf(place), now, now);
      await this.evict(folders);
      return await work(pythonIn(place));
    } finally {
      const left = (this.users.get(place) ?? 1) - 1;
      if (left > 0) this.users.set(place, left);
      else this.users.delete(place);
    }
  }

  private async complete(context: Context, needs: PythonNeeds, folders: Folders, key: string): Promise<void> {
    const place = join(folders.path, key);
    while (!existsSync(markerOf(place))) {
      const other = this.making.get(place);
      if (other) {
        context.note(`another attempt is making or deleting the environment ${key}`);
        await other;
        context.signal.throwIfAborted();
        continue;
      }
      await this.during(place, make(context, needs, folders, key));
    }
  }

  /** Locks an environment until some work on it is done. */
  private async during(place: string, work: Promise<void>): Promise<void> {
    this.making.set(
      place,
      work.catch(() => {}),
    );
    try {
      await work;
    } finally {
      this.making.delete(place);
    }
  }

  private async evict(folders: Folders): Promise<void> {
    const kept = readdirSync(folders.path)
      .filter((name) => !name.endsWith(MARKED))
      .map((key) => ({ key, place: join(folders.path, key) }))
      .filter(({ place }) => !this.making.has(place) && !this.users.has(place))
      .map((each) => ({ ...each, at: statSync(markerOf(each.place), { throwIfNoEntry: false })?.mtimeMs }))
      .sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
    for (const { key, place } of kept.slice(MOST)) {
      rmSync(markerOf(place), { force: true });
      await this.during(place, folders.remove(key));
    }
  }
}

const MARKED = '.complete';

/** Beside the environment and not in it, where a task could put a link in its place. */
function markerOf(place: string): string {
  return `${place}${MARKED}`;
}

function pythonIn(place: string): string {
  return join(place, 'bin', 'python');
}

async function make(context: Context, needs: PythonNeeds, folders: Folders, key: string): Promise<void> {
  const { exec, note, workDir } = context;
  const { interpreter, requirements } = needs;
  note(`making a virtual environment with ${requirements.join(', ')}`);
  const place = await folders.make(key);
  const venv = await exec(interpreter, ['-m', 'venv', '--without-pip', place]);
  if (venv !== 0) throw new TaskFailure(exitText(venv));
  const list = join(workDir, 'requirements.txt');
  writeFileSync(list, `${requirements.join('\n')}\n`);
  const python = pythonIn(place);
  const options = ['--no-input', '--disable-pip-version-check', '--quiet', ...indexOptions(needs)];
  const pip = await exec(interpreter, ['-m', 'pip', '--python', python, 'install', ...options, '-r', list]);
  if (pip !== 0) throw new TaskFailure(exitText(pip));
  writeFileSync(markerOf(place), JSON.stringify(needs), { mode: 0o600 });
}

function indexOptions({ index }: PythonNeeds): string[] {
  if (index === undefined) return [];
  return /^https?:\/\//.test(index) ? ['--index-url', index] : ['--no-index', '--find-links', resolve(index)];
}

function keyOf({ interpreter, requirements, index }: PythonNeeds): string {
  const text = JSON.stringify([interpreter, requirements.toSorted(), index, process.platform, process.arch]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
