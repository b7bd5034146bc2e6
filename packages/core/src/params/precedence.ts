/**
 * The parameters of one task. A name may be given in several places; startup beats local, then upstream outputs,
 * the workflow's global values, the project's and those of all projects; built-ins beat all. A value may refer to others and hold time
 * placeholders, except an upstream output: that is data a program printed, and stays as it is.
 */
import { InvalidInput } from '../errors.ts';
import type { Zone } from '../time/zone.ts';
import { hasSecretMark, SECRET_PREFIX, withoutMarks } from './secret.ts';
import { expand, LONGEST_EXPANSION, references } from './template.ts';

/** Values by name; one that is declared without a value is `undefined` and leaves the name to weaker sources. */
export type Values = Readonly<Record<string, string | undefined>>;

/** What one predecessor printed, and when it finished. */
export interface UpstreamOutput {
  endedAt: number;
  values: Values;
}

/** Every place a task's parameters can come from. */
export interface ParameterSources {
  cluster?: Values;
  project?: Values;
  global?: Values;
  /** In the order of the predecessors, which decides between equal times. */
  upstream?: readonly UpstreamOutput[];
  local?: Values;
  startup?: Values;
  builtin?: Values;
}

/** The source that a value came from. */
export type ParameterSource = keyof ParameterSources;

/** A parameter after resolution; the console shows its source beside it. */
export interface ResolvedParameter {
  value: string;
  source: ParameterSource;
  /** A name that it refers to, by way of others or not, and that nobody gave: its value has `${name}` in it as text. */
  missing?: string;
  /** It is, or refers to, a value that is not the author's: one given at the start or printed by a task. */
  foreign?: true;
}

/** What is wrong with a name that nobody gave, and where it could have come from. `by` refers to it. */
export function noValue(name: string, by?: string): string {
  const what = by === undefined ? `"${name}"` : `"${by}" refers to "${name}", which`;
  return `${what} has no value: it could come from the start of the run, the task's params, an output of a task before it, or the params of the workflow, the project or all projects`;
}

/** For which time values are resolved, and what becomes of references to unknown names (default `keep`). */
export interface ResolutionOptions {
  businessTime: number;
  zone: Zone;
  unknown?: 'keep' | 'error';
  /** What stands for a secret; without it references to secrets stay text. */
  secret?: (name: string) => string;
}

/** One given value. `lower` is the value it hides, which is what it gets when it refers to its own name. */
interface Candidate extends ResolvedParameter {
  name: string;
  lower: Candidate | undefined;
}

/** What became of a candidate. */
type Expanded = Pick<ResolvedParameter, 'value' | 'missing' | 'foreign'>;

/** The value of every parameter a task can see, by name. Refuses circles and values that grow without bound. */
export function resolveParameters(
  sources: ParameterSources,
  options: ResolutionOptions,
): Map<string, ResolvedParameter> {
  const winners = strongest(sources);
  const done = new Map<Candidate, Expanded>();
  let total = 0;
  for (const start of winners.values()) {
    // Depth first with a stack of our own: a long chain of references is no recursion.
    const stack = [start];
    const open = new Set<Candidate>();
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      if (!done.has(top) && !open.has(top)) {
        open.add(top);
        const needed = needs(top, winners).filter((candidate) => !done.has(candidate));
        for (const candidate of needed) {
          if (open.has(candidate)) throw circle(open, candidate);
          stack.push(candidate);
        }
        if (needed.length > 0) continue;
      }
      stack.pop();
      if (done.has(top)) continue;
      const result = expanded(top, winners, done, options);
      total += result.value.length;
      if (total > LONGEST_EXPANSION) {
        throw new InvalidInput(
          `the parameters of the task expand to more than ${LONGEST_EXPANSION} characters`,
        );
      }
      done.set(top, result);
      open.delete(top);
    }
  }
  const resolved = new Map<string, ResolvedParameter>();
  for (const [name, winner] of winners) {
    resolved.set(name, { value: winner.value, source: winner.source, ...done.get(winner) });
  }
  return resolved;
}

function strongest(sources: ParameterSources): Map<string, Candidate> {
  const winners = new Map<string, Candidate>();
  const layers: [ParameterSource, Values][] = [
    ['cluster', sources.cluster ?? {}],
    ['project', sources.project ?? {}],
    ['global', sources.global ?? {}],
    ['upstream', offered(sources.upstream ?? [])],
    ['local', sources.local ?? {}],
    ['startup', sources.startup ?? {}],
    ['builtin', sources.builtin ?? {}],
  ];
  for (const [source, values] of layers) {
    for (const [name, value] of Object.entries(values)) {
      if (value !== undefined) winners.set(name, { name, value, source, lower: winners.get(name) });
    }
  }
  return winners;
}

/** One value per name from several predecessors: one that is not empty, then the one that finished first. */
function offered(outputs: readonly UpstreamOutput[]): Values {
  const values = new Map<string, string>();
  for (const output of outputs.toSorted((a, b) => a.endedAt - b.endedAt)) {
    for (const [name, value] of Object.entries(output.values)) {
      if (value !== undefined && !values.get(name)) values.set(name, value);
    }
  }
  return Object.fromEntries(values);
}

function target(from: Candidate, name: string, winners: ReadonlyMap<string, Candidate>) {
  return name === from.name ? (from.lower ?? from) : winners.get(name);
}

function needs(candidate: Candidate, winners: ReadonlyMap<string, Candidate>): Candidate[] {
  if (candidate.source === 'upstream') return [];
  return references(candidate.value)
    .map((name) => target(candidate, name, winners))
    .filter((found) => found !== undefined);
}

function expanded(
  candidate: Candidate,
  winners: ReadonlyMap<string, Candidate>,
  done: ReadonlyMap<Candidate, Expanded>,
  { businessTime, zone, unknown, secret }: ResolutionOptions,
): Expanded {
  if (candidate.source === 'upstream') return { value: withoutMarks(candidate.value), foreign: true };
  // Who starts a run need not be trusted with what its author may use.
  const trusted = candidate.source !== 'startup';
  let missing: string | undefined;
  let foreign = !trusted;
  const value = expand(candidate.value, {
    value: (name) => {
      if (name.startsWith(SECRET_PREFIX))
        return trusted ? secret?.(name.slice(SECRET_PREFIX.length)) : undefined;
      const source = target(candidate, name, winners);
      const found = source && done.get(source);
      missing ??= found ? found.missing : name;
      foreign ||= found?.foreign === true;
      return found && !trusted && hasSecretMark(found.value) ? undefined : found?.value;
    },
    businessTime,
    zone,
    unknown,
    at: `parameter "${candidate.name}"`,
  });
  return {
    value,
    ...(missing === undefined ? undefined : { missing }),
    ...(foreign ? { foreign } : undefined),
  };
}

function circle(open: ReadonlySet<Candidate>, again: Candidate): InvalidInput {
  const path = [...open];
  const names = [...path.slice(path.indexOf(again)), again].map((candidate) => candidate.name);
  return new InvalidInput(`parameters refer to each other in a circle: ${names.join(' -> ')}`);
}
