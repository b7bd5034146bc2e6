/**
 * Resolves the parameters of a task. Precedence of a name's sources, strongest first: built-ins, startup
 * values, local values, upstream outputs, the workflow's global values, the project's, those of all projects.
 * A value may contain references and time placeholders, except an upstream output: that is data printed by a
 * program, and stays unchanged.
 */
import { InvalidInput } from '../errors.ts';
import { type Said, said } from '../texts/index.ts';
import type { Zone } from '../time/zone.ts';
import { hasSecretMark, SECRET_PREFIX, withoutMarks } from './secret.ts';
import { expand, LONGEST_EXPANSION, references } from './template.ts';

/** Values by name; a name declared without a value is `undefined` and falls through to weaker sources. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Outputs of one predecessor, and its end time. */
export interface UpstreamOutput {
  endedAt: number;
  values: Values;
}

/** All sources of a task's parameters. */
export interface ParameterSources {
  cluster?: Values;
  project?: Values;
  global?: Values;
  /** In the order of the predecessors, which breaks ties of end times. */
  upstream?: readonly UpstreamOutput[];
  local?: Values;
  startup?: Values;
  builtin?: Values;
}

/** The source of a value. */
export type ParameterSource = keyof ParameterSources;

/** A resolved parameter; the console shows its source. */
export interface ResolvedParameter {
  value: string;
  source: ParameterSource;
  /**
   * A name without a value that it refers to, directly or indirectly: `${name}` stays in its value as text.
   */
  missing?: string;
  /**
   * The value was not written by the author, or refers to such a value: given at the start or printed by a
   * task.
   */
  foreign?: true;
}

/** Error for a name without a value, and its possible sources. `by` refers to it. */
export function noValue(name: string, by?: string): Said {
  const what = by === undefined ? said('param.named', { name }) : said('param.namedBy', { name, by });
  return said('param.noValue', { what });
}

/** The time for which values are resolved, and the handling of unknown names (default `keep`). */
export interface ResolutionOptions {
  businessTime: number;
  zone: Zone;
  unknown?: 'keep' | 'error';
  /** Replacement for a secret; without it references to secrets stay text. */
  secret?: (name: string) => string;
}

/** A given value. `lower` is the value it hides, which it gets by referring to its own name. */
interface Candidate extends ResolvedParameter {
  name: string;
  lower: Candidate | undefined;
}

/** Result of expanding a candidate. */
type Expanded = Pick<ResolvedParameter, 'value' | 'missing' | 'foreign'>;

/** Values of all parameters visible to a task, by name. Refuses cycles and unbounded values. */
export function resolveParameters(
  sources: ParameterSources,
  options: ResolutionOptions,
): Map<string, ResolvedParameter> {
  const winners = strongest(sources);
  const done = new Map<Candidate, Expanded>();
  let total = 0;
  for (const start of winners.values()) {
    // Depth-first with an explicit stack: a long chain of references must not recurse.
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
        throw new InvalidInput(said('param.taskTooLong', { most: LONGEST_EXPANSION }));
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

/**
 * One value per name from several predecessors: a non-empty value wins, then the predecessor that finished
 * first.
 */
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
  // The person who starts a run may be less trusted than the author.
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
  return new InvalidInput(said('param.cycle', { names: names.join(' -> ') }));
}
