/**
 * Reads what a case says in its short language: `F(A)->B, finished FAILURE, A now ok` is a workflow of two tasks of
 * which the first fails, then succeeds; `SUB(2 serial) paused` one with a child run that is held.
 */

/** A workflow of a case, and what becomes of its tasks. */
export interface Script {
  /** Values of the workflow file. */
  readonly flow: { readonly name: string; readonly tasks: readonly object[] };
  /** That of the child run, where there is one. */
  readonly child: Script | undefined;
  /** Tasks that fail. */
  readonly fails: readonly string[];
  /** Where the run is when somebody does something to it. */
  readonly at: 'start' | 'running' | 'paused' | 'finished';
  /** The tasks that failed succeed from then on. */
  readonly mended: boolean;
}

/** What a case may give a script besides the graph. */
interface ScriptGiven {
  readonly edges?: readonly (readonly [string, string])[];
  readonly dag?: string;
  readonly fails?: readonly string[];
  readonly running?: readonly string[];
  /** Keys of every task. */
  readonly task?: object;
  /** Keys of the workflow. */
  readonly workflow?: object;
}

const CHILD = 'child';

/** Reads a case; throws where it says what is not understood. */
export function scriptOf(given: ScriptGiven, name = 'flow'): Script {
  const { edges, dag = '', fails = [], running, task = {}, workflow = {} } = given;
  const sub = /SUB\((.*)\)/.exec(dag)?.[1];
  const chains = (edges ?? chainsOf(dag)).map((chain) => chain.map(termOf));
  const names = [...new Set(chains.flat().map(({ name: term }) => term))];
  const needs = (to: string) =>
    chains.flatMap((chain) =>
      chain.flatMap((term, k) => (k > 0 && term.name === to ? [chain[k - 1].name] : [])),
    );
  const tasks = names.map((term) =>
    term === 'SUB'
      ? { name: term, type: 'sub-workflow', with: { workflow: CHILD } }
      : { name: term, type: 'noop', needs: needs(term), ...task },
  );
  const failed = chains.flat().filter((term) => term.fails);
  // `A finished FAILURE` says that it failed without a mark at the task.
  const unmarked = failed.length === 0 && /finished FAILURE/.test(dag) ? names : [];
  return {
    flow: { ...workflow, name, tasks },
    child: sub === undefined ? undefined : scriptOf(childOf(sub), CHILD),
    fails: [...fails, ...failed.map((term) => term.name), ...unmarked],
    at: running ? 'running' : placeOf(dag),
    mended: /now ok/.test(dag),
  };
}

/** Names of tasks that fail here or in the child. */
export function failing({ fails, child }: Script): string[] {
  return [...fails, ...(child ? failing(child) : [])];
}

function chainsOf(dag: string): string[][] {
  const graph = dag
    .replace(/,? (first running|running|paused|finished|now).*$/, '')
    .replace(/SUB\(.*\)/, 'SUB');
  return graph.split(/, */).map((chain) => chain.split('->'));
}

function termOf(text: string): { name: string; fails: boolean } {
  const [, kind, name] = /^(?:([SF])\()?(\w+)\)?$/.exec(text.trim()) ?? [];
  if (name === undefined) throw new Error(`a case says "${text}", which is not understood`);
  return { name, fails: kind === 'F' };
}

function childOf(sub: string): ScriptGiven {
  const [, dag] = /^child: (.*)$/.exec(sub) ?? [];
  if (dag !== undefined) return { dag };
  return { dag: sub.includes('2 serial') ? 'first->second' : 'only' };
}

function placeOf(dag: string): Script['at'] {
  const [place] = /running|paused|finished/.exec(dag) ?? ['start'];
  return place as Script['at'];
}
