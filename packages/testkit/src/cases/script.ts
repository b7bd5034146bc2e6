/**
 * Reads the graph of a case in its short language: `F(A)->B, finished FAILURE, A now ok` is a workflow of two tasks of
 * which the first fails, then succeeds; `SUB(2 serial) paused` one with a child run that is held; `A (sleep 60), F(B)`
 * two tasks side by side; `A->(B, C)->D` a fork and a join. What it does not know it refuses.
 */
import { notUnderstood } from './recorded.ts';

/** How the attempts of a task go. */
export interface TaskScript {
  readonly fails?: boolean;
  readonly fatal?: boolean;
  /** Milliseconds. */
  readonly takes?: number;
  /** Succeeds only where a parameter has this value. */
  readonly onlyIf?: { readonly name: string; readonly value: string };
}

/** A workflow of a case, and what becomes of its tasks. */
export interface Script {
  /** Values of the workflow file. */
  readonly flow: { readonly name: string; readonly tasks: readonly object[] };
  /** That of the child run, where there is one. */
  readonly child: Script | undefined;
  readonly tasks: ReadonlyMap<string, TaskScript>;
  /** Where the run is when somebody does something to it. */
  readonly at: 'start' | 'running' | 'paused' | 'stopped' | 'finished';
  /** The tasks that failed succeed from then on. */
  readonly mended: boolean;
  /** Whether any worker is there. */
  readonly workers: boolean;
}

/** What a case may give a script besides the graph. */
export interface ScriptGiven {
  readonly edges?: readonly (readonly [string, string])[];
  readonly dag?: string;
  readonly fails?: readonly string[];
  readonly running?: readonly string[];
  readonly forbidden?: readonly string[];
  /** By task, such as `2s`. */
  readonly durations?: Readonly<Record<string, string>>;
  /** `s2 chosen`, or `no condition true and no default`: of the task `sw`, or of one with two ways. */
  readonly switch?: string;
  /** Keys of every task. */
  readonly task?: object;
  /** Keys of the workflow. */
  readonly workflow?: object;
}

const CHILD = 'child';

/** What one phrase of a graph says. */
interface Phrase {
  readonly chains?: readonly (readonly string[])[];
  readonly acts?: Readonly<Record<string, TaskScript>>;
  /** Keys of a task, by its name. */
  readonly keys?: Readonly<Record<string, object>>;
  readonly workers?: boolean;
}

/** Phrases that are a whole graph. */
const phrases: readonly [RegExp, (...parts: string[]) => Phrase][] = [
  [
    /^switch whose condition is (true|false) -> (\w+)(?:, else (\w+))?$/,
    (when, to, otherwise) => ({
      chains: [['switch_task', to], ...(otherwise ? [['switch_task', otherwise]] : [])],
      keys: { switch_task: switchOf([{ when, to: [to] }], otherwise ? [otherwise] : undefined) },
    }),
  ],
  [
    /^conditions on ([SF])\((\w+)\) -> (\w+)(?:, else (\w+))?$/,
    (kind, task, to, otherwise) => ({
      chains: [[task, 'conditions_task', to], ...(otherwise ? [['conditions_task', otherwise]] : [])],
      acts: { [task]: { fails: kind === 'F' } },
      keys: {
        conditions_task: {
          type: 'conditions',
          with: { all: [task], success: [to], ...(otherwise && { failure: [otherwise] }) },
        },
      },
    }),
  ],
  [
    /^task throws a fatal error \((\w+)\)$/,
    (name) => ({ chains: [[name]], acts: { [name]: { fails: true, fatal: true } } }),
  ],
  [
    /^(\w+) in a worker group that does not exist$/,
    (name) => ({ chains: [[name]], keys: { [name]: { workerGroup: 'nowhere' } } }),
  ],
  [/^(\w+) in group default, no live worker$/, (name) => ({ chains: [[name]], workers: false })],
];

/** Parses a case. Throws on anything it does not understand. */
export function scriptOf(given: ScriptGiven, name = 'flow'): Script {
  const { edges, dag = '', fails = [], running, forbidden = [], durations = {}, task = {} } = given;
  const sub = SUB.exec(dag)?.[1];
  const phrase = edges ? { chains: edges } : phraseOf(given.dag ?? switchGraph(given.switch));
  const chains = phrase.chains ?? [];
  const names = [...new Set(chains.flat())];
  const keys = { ...phrase.keys, ...chosen(given.switch, chains) };
  const acts = new Map<string, TaskScript>(Object.entries(phrase.acts ?? {}));
  const add = (term: string, more: TaskScript) =>
    acts.set(known(term, names), { ...acts.get(term), ...more });
  for (const term of fails) add(term, { fails: true });
  for (const [term, time] of Object.entries(durations)) add(term, { takes: millis(time) });
  // `A finished FAILURE` says that it failed without a mark at the task.
  const child = sub === undefined ? undefined : scriptOf(childOf(sub), CHILD);
  const marked = [...acts.values(), ...(child?.tasks.values() ?? [])].some((act) => act.fails);
  if (/finished FAILURE/.test(dag) && !marked) for (const term of names) add(term, { fails: true });
  return {
    flow: {
      ...given.workflow,
      name,
      tasks: names.map((term) => ({
        name: term,
        needs: chains.flatMap((chain) =>
          chain.flatMap((each, k) => (k > 0 && each === term ? [chain[k - 1]] : [])),
        ),
        ...(term === 'SUB'
          ? { type: 'sub-workflow', with: { workflow: CHILD } }
          : { type: 'noop', ...(term in keys && 'type' in keys[term] ? {} : task), ...keys[term] }),
        ...(forbidden.includes(term) && { disabled: true }),
      })),
    },
    child,
    tasks: acts,
    at: running ? 'running' : placeOf(dag),
    mended: /now ok/.test(dag),
    workers: phrase.workers ?? true,
  };
}

/** How the attempts of a task go, in the run or in its child. */
export function actOf({ tasks, child }: Script, name: string): TaskScript {
  return tasks.get(name) ?? (child ? actOf(child, name) : {});
}

/** `2s`, `5 s`, `1 minute` in milliseconds. */
export function millis(text: string): number {
  const [, count, unit] = /^(\d+) ?(s|second|seconds|m|minute|minutes|h|hour|hours)$/.exec(text) ?? [];
  if (count === undefined) throw notUnderstood(text);
  return Number(count) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit[0] as 's' | 'm' | 'h'];
}

/** The keys of a switch. */
export function switchOf(cases: readonly object[], otherwise?: readonly string[]): object {
  return { type: 'switch', with: { cases, ...(otherwise && { default: otherwise }) } };
}

const SUB = /\bSUB\(((?:[^()]|\([^()]*\))*)\)/;
const PLACE = /,? (?:\w+ )?(first running|running|paused|stopped|finished|now ok).*$/;

function phraseOf(dag: string): Phrase {
  const [graph, ...clauses] = dag.replace(SUB, 'SUB').replace(PLACE, '').split(/; */);
  const acts: Record<string, TaskScript> = Object.fromEntries(clauses.flatMap(conditionsOf));
  for (const [pattern, read] of phrases) {
    const found = pattern.exec(graph);
    if (!found) continue;
    const phrase = read(...found.slice(1));
    return { ...phrase, acts: { ...phrase.acts, ...acts } };
  }
  const chains: string[][] = [];
  for (const chain of partsOf(graph.replace(/,? (all )?parallel$/, ''), ',')) {
    const links = partsOf(chain, '->').map((link) => {
      const [, group = link] = /^[([](.*)[)\]]$/.exec(link) ?? [];
      return partsOf(group, ',').map((text) => {
        const { name, ...act } = termOf(text);
        acts[name] = { ...acts[name], ...act };
        return name;
      });
    });
    if (links.every((names) => names.length === 1)) chains.push(links.flat());
    else
      links.forEach((names, k) => {
        chains.push(...names.map((name) => [name]));
        if (k > 0) for (const from of links[k - 1]) chains.push(...names.map((to) => [from, to]));
      });
  }
  return { chains, acts };
}

/** The parts of a text between marks that stand outside brackets. */
function partsOf(text: string, mark: ',' | '->'): string[] {
  const parts = [''];
  let depth = 0;
  for (let k = 0; k < text.length; k++) {
    if ('(['.includes(text[k])) depth++;
    if (')]'.includes(text[k])) depth--;
    if (depth === 0 && text.startsWith(mark, k)) {
      parts.push('');
      k += mark.length - 1;
    } else parts[parts.length - 1] += text[k];
  }
  return parts.map((part) => part.trim());
}

/** `A`, `S(A)`, `F(A)`, each with `(sleep 60)` or without. */
function termOf(text: string): TaskScript & { name: string } {
  const [, kind, inner, bare, sleep] = /^(?:([SF])\((\w+)\)|(\w+))(?: \(sleep (\d+)\))?$/.exec(text) ?? [];
  const name = inner ?? bare;
  if (name === undefined) throw notUnderstood(text);
  return {
    name,
    ...(kind === 'F' && { fails: true }),
    ...(sleep !== undefined && { takes: Number(sleep) * 1_000 }),
  };
}

/** `A ok iff name=workflowParam, B ok iff name=commandParam`. */
function conditionsOf(clause: string): [string, TaskScript][] {
  return clause.split(/, */).map((text) => {
    const [, task, name, value] = /^(\w+) ok iff (\w+)=(\w+)$/.exec(text) ?? [];
    if (task === undefined) throw notUnderstood(text);
    return [task, { onlyIf: { name, value } }];
  });
}

/** A switch that a case only speaks of has two ways. */
function switchGraph(said: string | undefined): string {
  if (said === undefined) throw notUnderstood('a case without a graph');
  return 'sw->yes, sw->no';
}

function chosen(said: string | undefined, chains: readonly (readonly string[])[]): Record<string, object> {
  if (said === undefined) return {};
  const ways = chains.filter(([from]) => from === 'sw').map(([, to]) => to);
  if (said === 'no condition true and no default')
    return { sw: switchOf([{ when: 'false', to: [...ways] }]) };
  const [, to] = /^(\w+) chosen$/.exec(said) ?? [];
  if (to === undefined) throw notUnderstood(said);
  const others = ways.filter((way) => way !== to);
  return {
    sw: switchOf([
      ...(others.length > 0 ? [{ when: 'false', to: others }] : []),
      { when: 'true', to: [known(to, ways)] },
    ]),
  };
}

function known(name: string, names: readonly string[]): string {
  if (!names.includes(name)) throw notUnderstood(name);
  return name;
}

/** `child: S(fake)`, `child of 2 serial tasks`, `3 parallel`, `child`. */
function childOf(sub: string): ScriptGiven {
  const [, dag] = /^child: (.*)$/.exec(sub) ?? [];
  if (dag !== undefined) return { dag };
  if (sub === CHILD) return { dag: 'only' };
  const [, count, how] = /^(?:child (?:of|with) )?(\d+) (serial|parallel)(?: tasks)?$/.exec(sub) ?? [];
  if (count === undefined) throw notUnderstood(sub);
  const names = Array.from({ length: Number(count) }, (_, k) => `t${k + 1}`);
  return { dag: names.join(how === 'serial' ? '->' : ', ') };
}

function placeOf(dag: string): Script['at'] {
  const [place] = /\b(running|paused|stopped|finished)\b/.exec(dag.replace(SUB, 'SUB')) ?? ['start'];
  return place as Script['at'];
}
